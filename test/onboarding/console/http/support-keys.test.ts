import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { waitFor } from '../../../support/oracles/wait-for.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let admin: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  admin = await world.signIn(people.admin)
})
afterAll(() => world.close())

const form = { name: 'Portal', tenant: 'acme', lifetime: '30', reason: 'ticket 1' }

async function create(fields: Record<string, string> = form) {
  const made = await world.send(admin, '/keys', fields)
  const [, key = ''] = /<code class="address" id="address">([^<]+)</.exec(made.text) ?? []
  const [, id = ''] = /href="\/support\/keys\/(key_\w+)"/.exec(made.text) ?? []
  return { id, key, status: made.status }
}

const entries = async (action: string, id: string) =>
  (
    await world.sql.query('select reason, actor_id, tenant from audit where action = $1 and subject_id = $2', [
      action,
      id,
    ])
  ).rows

test('an admin creates a key, sees it once, and it works for its tenant', async () => {
  const { id, key } = await create()
  const [page, list] = [await world.open(admin, `/keys/${id}`), await world.open(admin, '/keys?tenant=acme')]

  expect((await world.apiAs(key)('GET', '/tenants/acme')).status).toBe(200)
  expect(page.text).toMatch(/Portal[\s\S]*Active[\s\S]*in 30 days/)
  expect(list.text).toContain(`href="/support/keys/${id}"`)
  expect(page.text + list.text).not.toContain(key.slice('cwk_'.length, -4))
  expect(await entries('key.created', id)).toEqual([{ reason: 'ticket 1', actor_id: people.admin.sub, tenant: 'acme' }])
})

test('the page of a key shows when it was last used', async () => {
  const { id, key } = await create({ ...form, name: 'Used' })
  const before = await world.open(admin, `/keys/${id}`)
  await world.apiAs(key)('GET', '/tenants/acme')
  await world.world.apiKeys.recordUses()
  const after = await world.open(admin, `/keys/${id}`)

  expect(before.text).toMatch(/<dt>Last used<\/dt><dd>Never/)
  expect(after.text).toMatch(/<dt>Last used<\/dt><dd><time [^>]*>\d+ s ago/)
})

test('a revoked key stops working and is shown as revoked', async () => {
  const { id, key } = await create({ ...form, name: 'Leaked', lifetime: 'never' })
  const shown = await admin.follow(await world.send(admin, `/keys/${id}/revoke`, { reason: 'leaked in a log' }))

  expect(shown.text).toMatch(/stops working[\s\S]*Revoked/)
  expect(shown.text).not.toContain(`action="/support/keys/${id}/revoke"`)
  expect(await entries('key.revoked', id)).toMatchObject([{ reason: 'leaked in a log', tenant: 'acme' }])
  await waitFor('the key is refused', async () => (await world.apiAs(key)('GET', '/tenants/acme')).status === 401)
})

test.each([
  ['no reason', { ...form, reason: '' }, 422],
  ['no name', { ...form, name: ' ' }, 422],
  ['an unlisted lifetime', { ...form, lifetime: '99999' }, 422],
  ['an unknown tenant', { ...form, tenant: 'nobody' }, 404],
])('a form with %s creates no key', async (_what, fields, status) => {
  const count = async () => (await world.sql.query('select count(*) from api_keys')).rows[0].count
  const before = await count()

  expect((await world.send(admin, '/keys', fields)).status).toBe(status)
  expect(await count()).toBe(before)
})

test("an agent sees keys, but can't create or revoke them", async () => {
  const { id } = await create({ ...form, name: 'Kept' })
  const agent = await world.signIn(people.agent)
  const page = await world.open(agent, `/keys/${id}`)
  const answers = [
    await world.send(agent, '/keys', form),
    await world.send(agent, `/keys/${id}/revoke`, { reason: 'because' }),
  ]

  expect(page.text).toContain('Only admins can revoke keys.')
  expect(answers.map(({ status }) => status)).toEqual([403, 403])
  expect((await world.open(agent, `/keys/${id}`)).text).toContain('Active')
})

test.each(['key_nobody', 'nonsense'])('a key %s has no page', async (id) => {
  expect((await world.open(admin, `/keys/${id}`)).status).toBe(404)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'
import { providerEntry } from '../../../support/worlds/onboarding-world.ts'

let world: ConsoleWorld
const page = '/doctor/provider/settings'

beforeAll(async () => {
  world = await startConsoleWorld()
  const made = await world.world.apiKeys.create(
    { name: 'ops', tenant: undefined, purpose: 'settings' },
    { kind: 'operator' },
  )
  const operator = world.apiAs(made.key.reveal())
  const put = (more: object, reason: string) =>
    operator('PUT', '/integrations/provider/settings', {
      settings: { ...providerEntry(world.provider), ...more },
      breakConnections: true,
      reason,
    })
  await put({ api: { headers: { 'X-Developer': 'CANARY-header' } } }, 'first')
  await put({ clientId: 'other', clientSecret: 'CANARY-other-secret', displayName: 'Renamed' }, 'new app')
})
afterAll(() => world?.close())

test('the page of an integration leads to the history of its settings', async () => {
  const agent = await world.signIn(people.agent)

  const examination = await world.open(agent, '/doctor/provider')

  expect(examination.text).toContain(`href="/support${page}"`)
})

test('shows who changed which members, without secrets, and agents have no button', async () => {
  const agent = await world.signIn(people.agent)

  const { status, text } = await world.open(agent, page)

  expect(status).toBe(200)
  expect(text).toContain('new app')
  expect(text).toMatch(/clientId<\/dt><dd><del><code>&#34;client-1&#34;/)
  expect(text).toContain('another secret')
  expect(text).not.toContain('CANARY')
  expect(text).not.toContain(`action="/support${page}/rollback"`)
})

test('an admin rolls back to an earlier version, and an agent may not', async () => {
  const admin = await world.signIn(people.admin)
  const agent = await world.signIn(people.agent)
  const refused = await world.send(agent, `${page}/rollback`, { version: '1', ifVersion: '2', reason: 'back' })

  const done = await world.press(admin, page, `${page}/rollback`, { reason: 'back to the old app' })

  expect(refused.status).toBe(403)
  expect(done.status).toBe(303)
  expect(world.world.integrations.find('provider')?.displayName).toBe('Provider')
  const { text } = await world.open(admin, page)
  expect(text).toContain('Rolled back to version 1')
  expect(text).toContain('back to the old app')
})

test('a tenant, a connection and a login lead to the history of their policy, and an admin rolls it back', async () => {
  const minted = await world.mint()
  await world.completeToTheEnd(minted, (await world.consent(minted)).query)
  const { rows } = await world.sql.query('select id from connections')
  const admin = await world.signIn(people.admin)
  const agent = await world.signIn(people.agent)
  const connection = `/connections/${rows[0].id}`
  const owners = [
    { page: '/tenants/acme', api: '/tenants/acme' },
    { page: connection, api: connection },
    {
      page: `${connection}/mcp-clients`,
      history: `${connection}/mcp-clients/fg_1`,
      api: `${connection}/function-grants/fg_1`,
    },
  ]
  for (const { page, api, history: owner = page } of owners) {
    const [history, policy] = [`${owner}/tool-policy`, `${api}/tool-policy`]
    await world.api('PUT', policy, { policy: { deny: ['send_message'] }, reason: 'trial' })
    await world.api('PUT', policy, { policy: { readOnly: true } })
    const refused = await world.send(agent, `${history}/rollback`, { version: '1', ifVersion: '2', reason: 'back' })

    const done = await world.press(admin, history, `${history}/rollback`, { reason: 'too narrow' })

    expect([refused.status, done.status]).toEqual([403, 303])
    expect((await world.open(agent, page)).text).toContain(`href="/support${history}"`)
    const { text } = await world.open(agent, history)
    expect(text).toContain('too narrow')
    expect(text).toMatch(/deny<\/dt><dd><del><code>none<\/code><\/del><br><ins><code>\[&#34;send_message&#34;\]/)
    expect((await world.api('GET', `${policy}/versions`)).body.data[0].policy).toEqual({ deny: ['send_message'] })
  }
})

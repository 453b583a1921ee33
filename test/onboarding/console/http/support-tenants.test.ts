import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let admin: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  admin = await world.signIn(people.admin)
})
afterAll(() => world.close())

const form = {
  id: 'initech',
  displayName: 'Initech',
  workspace: 'initech',
  returnUrls: 'https://initech.example/return\r\nhttps://initech.example/other',
  reason: 'ticket 1',
}
const { id: _, ...edit } = form
const tenant = async (id: string) => (await world.api('GET', `/tenants/${id}`)).body
const reasons = async (action: string) =>
  (await world.sql.query('select reason, actor_id from audit where action = $1 order by id', [action])).rows

test('an admin creates a tenant, and sees its signing secret once', async () => {
  const made = await world.send(admin, '/tenants', form)
  const page = await world.open(admin, '/tenants/initech')
  const list = await world.open(admin, '/tenants')

  const [, secret = ''] = /<code class="address" id="address">([^<]+)</.exec(made.text) ?? []
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(page.text).not.toContain(secret)
  expect(list.text).toContain('href="/support/tenants/initech"')
  expect(await tenant('initech')).toMatchObject({
    displayName: 'Initech',
    returnUrls: ['https://initech.example/return', 'https://initech.example/other'],
  })
  expect((await reasons('tenant.put')).at(-1)).toEqual({ reason: 'ticket 1', actor_id: people.admin.sub })
})

test('an admin changes a tenant under the API’s rules, and its branding is kept', async () => {
  const branding = { supportUrl: 'https://initech.example/help' }
  await world.api('PATCH', '/tenants/initech', { branding })
  const saved = await world.send(admin, '/tenants/initech', { ...edit, displayName: 'Initech Ltd' })
  const refused = await world.send(admin, '/tenants/initech', { ...edit, returnUrls: 'javascript:alert(1)' })

  expect(saved.status).toBe(303)
  expect(refused.status).toBe(422)
  expect(await tenant('initech')).toMatchObject({ displayName: 'Initech Ltd', branding })
})

test("a suspended tenant can't start links until it is reactivated", async () => {
  const mint = () => world.api('POST', '/connect-sessions', session)
  const session = {
    tenantId: 'initech',
    integrationId: 'provider',
    endUser: { id: 'u' },
    returnUrl: 'https://initech.example/return',
    completionChallenge: 'c'.repeat(43),
  }
  const shown = await admin.follow(await world.send(admin, '/tenants/initech/suspend', { reason: 'unpaid' }))
  const refused = await mint()
  await world.send(admin, '/tenants/initech/reactivate', { reason: 'paid' })

  expect(shown.text).toMatch(/Suspended[\s\S]*Reactivate tenant/)
  expect(refused.body).toMatchObject({ code: 'tenant_suspended' })
  expect((await mint()).status).toBe(201)
  expect(await reasons('tenant.suspended')).toEqual([{ reason: 'unpaid', actor_id: people.admin.sub }])
  expect(await reasons('tenant.reactivated')).toEqual([{ reason: 'paid', actor_id: people.admin.sub }])
})

test('the actions on tenants and endpoints accept what their forms send', async () => {
  const page = '/tenants/initech'
  const reason = 'ticket 2'
  const url = 'https://initech.example/hooks'
  const { body } = await world.api('POST', '/tenants/initech/webhooks', { url })
  const endpoint = `${page}/webhooks/${body.id}`
  const pressed = []

  for (const action of [`${page}/suspend`, `${page}/reactivate`, `${page}/signing-secret`])
    pressed.push((await world.press(admin, page, action, { reason })).status)
  for (const action of ['disable', 'enable', 'rotate-secret', 'delete'])
    pressed.push((await world.press(admin, page, `${endpoint}/${action}`, { reason })).status)
  const unconfirmed = await world.press(admin, page, `${page}/delete`, { reason, confirm: 'another' })

  expect(pressed).toEqual([303, 303, 200, 303, 303, 200, 303])
  expect(unconfirmed.text).not.toContain('unknown field')
})

test('an OAuth client is saved without showing its secret, and can be deleted', async () => {
  const client = {
    integration: 'provider',
    clientId: 'their-client',
    clientSecret: 'CANARY-their-secret',
    reason: 'r 1',
  }
  await world.send(admin, '/tenants/initech/oauth-clients', client)
  const { text } = await world.open(admin, '/tenants/initech')
  await world.send(admin, '/tenants/initech/oauth-clients/provider/delete', { reason: 'ticket 2' })

  expect(text).toContain('their-client, secret stored')
  expect(text).not.toContain('CANARY')
  expect((await world.api('GET', '/tenants/initech/oauth-clients')).body.data).toEqual([])
  expect(await reasons('tenant.oauth_client_deleted')).toMatchObject([{ reason: 'ticket 2' }])
})

test('deleting a tenant requires typing its ID', async () => {
  const wrong = await world.send(admin, '/tenants/initech/delete', { reason: 'ticket 3', confirm: 'acme' })
  expect([wrong.status, (await tenant('initech')).status]).toEqual([422, 'active'])

  await world.send(admin, '/tenants/initech/delete', { reason: 'ticket 3', confirm: 'initech' })
  expect((await tenant('initech')).status).toMatch(/^delet(ing|ed)$/)
  expect(await reasons('tenant.deletion_started')).toMatchObject([{ reason: 'ticket 3' }])
})

test("an agent sees tenants, but can't change them", async () => {
  const agent = await world.signIn(people.agent)
  const page = await world.open(agent, '/tenants/acme')
  const paths = [
    '/tenants',
    '/tenants/acme',
    '/tenants/acme/suspend',
    '/tenants/acme/delete',
    '/tenants/acme/oauth-clients',
  ]
  const answers = await Promise.all(paths.map((path) => world.send(agent, path, { ...form, confirm: 'acme' })))

  expect(page.text).toContain('Only admins can change tenants.')
  expect(page.text).not.toContain('action="/support/tenants/acme/suspend"')
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 403))
  expect((await tenant('acme')).status).toBe('active')
})

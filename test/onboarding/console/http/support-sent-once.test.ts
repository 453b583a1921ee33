// Forms whose answer is shown once: a reload or a double click sends them again, and must not make a second thing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, formTokenIn, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let admin: HttpBrowser
let connection: string

beforeAll(async () => {
  world = await startConsoleWorld()
  admin = await world.signIn(people.admin)
  const minted = await world.mint()
  connection = (await world.complete(minted, (await world.consent(minted)).query)).body.connection.id
})
afterAll(() => world.close())

const reason = 'ticket 1'
const tokenOf = async (path = '/account') => formTokenIn((await world.open(admin, path)).text)
const post = (path: string, fields: Record<string, string>) => admin.post(`${world.url}/support${path}`, fields)
const changesMade = async (action: string) =>
  Number((await world.sql.query('select count(*) from audit where action = $1', [action])).rows[0].count)

const forms: Array<[string, () => string, Record<string, string>, string, string]> = [
  ['an API key', () => '/keys', { name: 'Portal', tenant: 'acme' }, 'key.created', 'revoke it in the list of keys'],
  ['a reconnect link', () => `/connections/${connection}/relink`, {}, 'relink.minted', 'Open reconnect links'],
  [
    'an endpoint',
    () => '/tenants/acme/webhooks',
    { url: 'https://hooks.acme.example/c', events: 'link.failed' },
    'webhook.created',
    'rotate it on the tenant’s page',
  ],
  ['a signing secret', () => '/tenants/acme/signing-secret', {}, 'tenant.signing_secret_rotated', 'rotate it again'],
  [
    'a tenant',
    () => '/tenants',
    { displayName: 'Nova', workspace: 'nova', returnUrls: 'https://nova.example/done' },
    'tenant.put',
    'open the tenant and rotate it',
  ],
]

test.each(forms)(
  'the form of %s, sent again, does nothing and says what to do',
  async (_what, path, more, action, says) => {
    const fields = { csrf: await tokenOf(), reason, ...more }
    const before = await changesMade(action)

    const first = await post(path(), fields)
    const again = await post(path(), fields)

    expect([first.status, again.status]).toEqual([200, 409])
    expect((await changesMade(action)) - before).toBe(1)
    expect(again.text).toContain('This form was already sent')
    expect(again.text).toContain(says)
    expect(again.text).not.toContain('id="address"')
  },
)

test('a form that is sent twice at once makes one key', async () => {
  const fields = { csrf: await tokenOf(), reason, name: 'Twice' }
  const before = await changesMade('key.created')

  const answers = await Promise.all([post('/keys', fields), post('/keys', fields)])

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect((await changesMade('key.created')) - before).toBe(1)
})

test('a form that was refused can be corrected and sent, and another one of the same page, too', async () => {
  const csrf = await tokenOf('/tenants/acme')

  const refused = await post('/keys', { csrf, reason, name: 'Corrected', tenant: 'nobody' })
  const corrected = await post('/keys', { csrf, reason, name: 'Corrected', tenant: 'acme' })
  const other = await post(`/connections/${connection}/relink`, { csrf, reason })

  expect([refused.status, corrected.status, other.status]).toEqual([404, 200, 200])
})

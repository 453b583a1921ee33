// Forms whose answer is shown once: a reload or a double click sends them again, and must not make a second thing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { shownForm } from '../../../support/http/shown-form.ts'
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

const forms: Array<[string, () => string, Record<string, string>, string]> = [
  ['an API key', () => '/keys', { name: 'Portal', tenant: 'acme' }, 'key.created'],
  ['a reconnect link', () => `/connections/${connection}/relink`, {}, 'relink.minted'],
  [
    'an endpoint',
    () => '/tenants/acme/webhooks',
    { url: 'https://hooks.acme.example/c', events: 'link.failed' },
    'webhook.created',
  ],
  ['a signing secret', () => '/tenants/acme/signing-secret', {}, 'tenant.signing_secret_rotated'],
  [
    'a tenant',
    () => '/tenants',
    { displayName: 'Nova', workspace: 'nova', returnUrls: 'https://nova.example/done' },
    'tenant.put',
  ],
]

test.each(forms)(
  'the form of %s has no effect when resubmitted, and is shown again filled in',
  async (_what, path, more, action) => {
    const fields = { csrf: await tokenOf(), reason, ...more }
    const before = await changesMade(action)

    const first = await post(path(), fields)
    const again = await post(path(), fields)

    expect([first.status, again.status]).toEqual([200, 409])
    expect((await changesMade(action)) - before).toBe(1)
    expect(again.text).toContain('This form was already sent')
    expect(shownForm(again.text, `/support${path()}`).holds).toMatchObject({ reason, ...more })
    expect(again.text).not.toContain('id="address"')
  },
)

test('a form that is sent twice concurrently creates one key', async () => {
  const fields = { csrf: await tokenOf(), reason, name: 'Twice' }
  const before = await changesMade('key.created')

  const answers = await Promise.all([post('/keys', fields), post('/keys', fields)])

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect((await changesMade('key.created')) - before).toBe(1)
})

test('a rejected form is shown again with a valid token', async () => {
  const refused = await post('/keys', { csrf: await tokenOf(), reason, name: 'Corrected', tenant: 'nobody' })
  const csrf = formTokenIn(refused.text)
  const corrected = await post('/keys', { csrf, reason, name: 'Corrected', tenant: 'acme' })
  const other = await post(`/connections/${connection}/relink`, { csrf, reason })

  expect([refused.status, corrected.status, other.status]).toEqual([404, 200, 200])
})

// A form that is refused comes back filled in, says what is wrong at its fields, and can be corrected and sent.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { pendingHash } from '../../../support/doubles/pinned-tools.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { refusalIn, shownForm } from '../../../support/http/shown-form.ts'
import { type ConsoleWorld, formsIn, startConsoleWorld } from '../../../support/worlds/console-world.ts'

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

const changes = async () =>
  Number((await world.sql.query("select count(*) from audit where action <> 'console.signed_in'")).rows[0].count)

const reason = 'ticket 1'
const newTenant = {
  id: 'nova',
  displayName: 'Nova <1>',
  workspace: 'nova',
  returnUrls: 'https://nova.example/a',
  reason,
}
const endpoint = { url: 'https://hooks.acme.example/c', events: 'link.failed', reason }
const ownClient = { integration: 'provider', clientId: 'their-client', clientSecret: 'CANARY-secret', reason }
const key = { name: 'Portal', tenant: 'acme', lifetime: '365', reason }
// A user whose erasure is under way is not erased a second time.
const anotherUser = { endUserId: 'u 3', confirm: 'u 3' }
const erasure = { tenant: 'acme', endUserId: 'u 1', confirm: 'u 1', reason }
const branding = {
  accentColor: '#0c6863',
  supportUrl: 'https://acme.example/help',
  'wording.de.intro': 'Hallo',
  reason,
}

type Fields = Record<string, string>
type RefusalCase = { page: string; action: string; fields: Fields; faults: Fields; status: number; correction: Fields }

const tenants = { page: '/tenants/new', action: '/tenants', fields: newTenant, status: 422 }
const acme = { page: '/tenants/acme', status: 422 }
const refused: Record<string, () => RefusalCase> = {
  'a new tenant with a wrong return URL and no reason': () => ({
    ...tenants,
    fields: { ...newTenant, returnUrls: 'https://nova.example/a\nnope', reason: ' ' },
    faults: {
      returnUrls: 'The return URL in line 2 must be an absolute address.',
      reason: 'Give a reason in a few words.',
    },
    correction: newTenant,
  }),
  'a new tenant whose ID is taken': () => ({
    ...tenants,
    fields: { ...newTenant, id: 'acme', workspace: 'nova-2' },
    faults: { id: 'A tenant with this ID exists or existed.' },
    status: 409,
    correction: { id: 'nova-2' },
  }),
  'a new tenant whose workspace is taken': () => ({
    ...tenants,
    fields: { ...newTenant, id: 'nova-3', workspace: 'acme' },
    faults: { workspace: 'Another tenant already has this workspace.' },
    status: 409,
    correction: { workspace: 'nova-3' },
  }),
  'a tenant with a wrong return URL': () => ({
    ...acme,
    action: '/tenants/acme',
    fields: { displayName: 'Acme Ltd', workspace: 'acme', returnUrls: 'javascript:alert(1)', reason },
    faults: { returnUrls: 'The return URL in line 1 must' },
    correction: { returnUrls: 'https://acme.example/return' },
  }),
  'a color that is none, and a text with markup': () => ({
    page: '/tenants/acme/branding',
    action: '/tenants/acme/branding',
    fields: { ...branding, accentColor: 'red', 'wording.de.intro': '<b>Hallo</b>', reason: '' },
    faults: {
      accentColor: 'Accent color must be a color such as #0c6863, in lowercase.',
      'wording.de.intro': 'Introduction (German) must be plain text, without markup.',
      reason: 'Give a reason in a few words.',
    },
    status: 422,
    correction: branding,
  }),
  'an endpoint that is not https, without a reason': () => ({
    ...acme,
    action: '/tenants/acme/webhooks',
    fields: { ...endpoint, url: 'http://hooks.acme.example/c', reason: '' },
    faults: { url: 'URL must', reason: 'Give a reason in a few words.' },
    correction: endpoint,
  }),
  'a key for a tenant that is not there': () => ({
    page: '/keys/new',
    action: '/keys',
    fields: { ...key, tenant: 'nobody' },
    faults: { tenant: 'There is no tenant nobody.' },
    status: 404,
    correction: key,
  }),
  'a key of test mode for a live tenant': () => ({
    page: '/keys/new',
    action: '/keys',
    fields: { ...key, testMode: 'yes' },
    faults: { tenant: 'acme is not a test tenant.' },
    status: 422,
    correction: { tenant: '' },
  }),
  'a key with a name that no database holds': () => ({
    page: '/keys/new',
    action: '/keys',
    fields: { ...key, name: 'Portal\0' },
    faults: { name: 'Name contains a character that cannot be stored.' },
    status: 422,
    correction: key,
  }),
  'an erasure whose IDs differ': () => ({
    page: '/erasures',
    action: '/erasures',
    fields: { ...erasure, confirm: 'u 2' },
    faults: { confirm: 'The two user IDs don’t match.' },
    status: 422,
    correction: erasure,
  }),
  'an erasure for a tenant that is not there': () => ({
    page: '/erasures',
    action: '/erasures',
    fields: { ...erasure, ...anotherUser, tenant: 'nobody' },
    faults: { tenant: 'There is no such tenant.' },
    status: 404,
    correction: { tenant: 'acme' },
  }),
  'a reconnect link without a reason': () => ({
    page: `/connections/${connection}`,
    action: `/connections/${connection}/relink`,
    fields: { days: '7', allowOtherAccount: 'yes', reason: 'x' },
    faults: { reason: 'Give a reason in a few words.' },
    status: 422,
    correction: { reason },
  }),
  'an approval of tools without a reason': () => ({
    page: `/connections/${connection}/tools`,
    action: `/connections/${connection}/tools/approve`,
    fields: { hash: pendingHash, reason: 'x' },
    faults: { reason: 'Give a reason in a few words.' },
    status: 422,
    correction: { reason },
  }),
  'a disconnect with another name': () => ({
    page: `/connections/${connection}`,
    action: `/connections/${connection}/disconnect`,
    fields: { confirm: 'another', reason },
    faults: { confirm: 'The name you typed doesn’t match this connection.' },
    status: 422,
    correction: { confirm: 'another' },
  }),
}

test.each(Object.entries(refused))(
  '%s: the form is shown again with its fields, and nothing changes',
  async (_what, wanted) => {
    const { page, action, fields, faults, status } = wanted()
    const before = await changes()

    const answer = await world.press(admin, page, action, fields)

    const form = shownForm(answer.text, `/support${action}`)
    const { hash: _hidden, ...typed } = fields
    expect(answer.status).toBe(status)
    expect(form.holds).toMatchObject(typed)
    expect(Object.keys(form.faults).sort()).toEqual(Object.keys(faults).sort())
    for (const [field, words] of Object.entries(faults)) expect(form.faults[field]).toContain(words)
    expect(form.isFolded).toBe(false)
    expect(
      refusalIn(answer.text)
        .links.map(({ leadsTo }) => leadsTo)
        .sort(),
    ).toEqual(Object.keys(faults).sort())
    expect(refusalIn(answer.text).text).toMatch(/Nothing was (?:changed|saved)\./)
    expect(answer.text).toMatch(/<title>Error: /)
    expect(await changes()).toBe(before)
  },
)

test.each(Object.entries(refused).filter(([what]) => !what.startsWith('a disconnect')))(
  '%s: the form that came back is corrected and sent',
  async (_what, wanted) => {
    const { page, action, fields, correction } = wanted()
    const { text } = await world.press(admin, page, action, fields)
    const before = await changes()

    const hidden = formsIn(text).find((form) => form.action === `/support${action}`)?.fields
    const typed = shownForm(text, `/support${action}`).holds
    const sent = await admin.post(`${world.url}/support${action}`, { ...hidden, ...typed, ...correction })

    expect([200, 303]).toContain(sent.status)
    expect(await changes()).toBeGreaterThan(before)
  },
)

test('a client secret is not shown again and must be retyped', async () => {
  const path = '/tenants/acme/oauth-clients'

  const answer = await world.press(admin, '/tenants/acme', path, { ...ownClient, clientId: ' ' })

  const { holds, faults } = shownForm(answer.text, `/support${path}`)
  expect(answer.status).toBe(422)
  expect(answer.text).not.toContain('CANARY')
  expect(holds).toMatchObject({ integration: 'provider', clientSecret: '', reason })
  expect(faults).toEqual({
    clientId: 'Client ID is missing.',
    clientSecret: 'Client secret: enter it again, because it isn’t kept.',
  })
  expect(answer.text).toMatch(/<input name="clientSecret"[^>]* required/)
  expect((await world.api('GET', path)).body.data).toEqual([])
})

test('on a page with several forms, only the sent one is filled in', async () => {
  const { text } = await world.press(admin, '/tenants/acme', '/tenants/acme/suspend', { reason: 'no' })

  const other = shownForm(text, '/support/tenants/acme/signing-secret')
  expect(shownForm(text, '/support/tenants/acme/suspend')).toMatchObject({ holds: { reason: 'no' }, isFolded: false })
  expect(other).toEqual({ holds: { reason: '' }, faults: {}, isFolded: true })
  expect(text.match(/id="field-reason"/g)).toHaveLength(1)
})

test('boxes keep their state, and a form without a ticked box is rejected', async () => {
  const path = '/tenants/acme/webhooks'
  const { events: _none, ...fields } = endpoint

  const one = await world.press(admin, '/tenants/acme', path, { ...endpoint, reason: 'x' })
  const none = await world.press(admin, '/tenants/acme', path, fields)

  expect(one.text.match(/name="events" value="[^"]+" checked/g)).toEqual(['name="events" value="link.failed" checked'])
  expect(none.text).not.toMatch(/name="events"[^>]* checked/)
  expect(none.text).toMatch(/<fieldset id="field-events" tabindex="-1" aria-describedby="fault-events">/)
  expect(none.text).toContain('id="fault-events">Choose at least one event.<')
})

test('an empty campaign is shown again with its reason and scope', async () => {
  await world.sql.query(
    "update connections set status = 'needs_relink', cause = 'client_rejected', account_id = null where id = $1",
    [connection],
  )
  const about = { cause: 'client_rejected', tenant: 'acme', integration: '', days: '3' }

  const answer = await world.send(admin, '/campaigns', { ...about, reason })

  expect(answer.status).toBe(409)
  expect(refusalIn(answer.text).text).toMatch(/No connections to include/)
  expect(shownForm(answer.text, '/support/campaigns').holds).toEqual({ reason })
  expect(formsIn(answer.text).find(({ action }) => action === '/support/campaigns')?.fields).toMatchObject(about)
})

test('a form is not shown again without the token, the role or the resource', async () => {
  const agent = await world.signIn(people.agent)

  const foreign = await admin.post(`${world.url}/support/tenants`, { ...newTenant, csrf: 'x', displayName: 'CANARY' })
  const unentitled = await world.send(agent, '/tenants', { ...newTenant, displayName: 'CANARY', reason: '' })
  const gone = await world.send(admin, '/tenants/nobody/suspend', { reason: '' })

  expect([foreign.status, unentitled.status, gone.status]).toEqual([403, 403, 422])
  for (const { text } of [foreign, unentitled, gone]) expect(text).not.toMatch(/CANARY|action-form/)
})

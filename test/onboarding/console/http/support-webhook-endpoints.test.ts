// Webhook endpoints of a tenant, which admins create, rotate, disable, enable and delete in the console.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultEventNames, optInEvent } from '../../../../src/onboarding/domain/tenant-event.ts'
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

const path = '/tenants/acme/webhooks'
const add = (fields: Record<string, string> = {}) =>
  world.send(admin, path, {
    url: 'https://hooks.acme.example/in?key=CANARY-key',
    events: 'link.failed',
    reason: 'ticket 1',
    ...fields,
  })
const listed = async () => (await world.api('GET', path)).body.data
const page = async () => (await world.open(admin, '/tenants/acme')).text
const secretIn = (html: string) => /<code class="address" id="address">([^<]+)</.exec(html)?.[1] ?? ''
const reasons = async (action: string) =>
  (await world.sql.query('select reason, actor_id from audit where action = $1 order by id', [action])).rows

test('an admin adds an endpoint under the API’s rules, and sees its secret once', async () => {
  const made = await add()
  const refused = await add({ url: 'http://127.0.0.1/in' })
  const unheard = await world.send(admin, path, { url: 'https://hooks.acme.example/', reason: 'ticket 1' })

  expect(secretIn(made.text)).toMatch(/^whsec_/)
  expect([refused.status, unheard.status]).toEqual([422, 422])
  expect(unheard.text).toContain('Choose at least one event.')
  expect(await listed()).toMatchObject([{ events: ['link.failed'], status: 'active' }])
  const html = await page()
  expect(html).toContain('https://hooks.acme.example')
  expect(html).not.toContain(secretIn(made.text))
  expect(html).not.toContain('CANARY')
  expect(await reasons('webhook.created')).toEqual([{ reason: 'ticket 1', actor_id: people.admin.sub }])
})

test('the form offers every event', async () => {
  const html = await page()

  for (const name of defaultEventNames) expect(html).toContain(`name="events" value="${name}" checked`)
  expect(html).toContain(`name="events" value="${optInEvent}">`)
})

test('a new secret is shown once, with how long the previous one stays valid', async () => {
  const [{ id }] = await listed()

  const rotated = await world.send(admin, `${path}/${id}/rotate-secret`, { reason: 'ticket 2' })

  expect(secretIn(rotated.text)).toMatch(/^whsec_/)
  const html = await page()
  expect(html).not.toContain(secretIn(rotated.text))
  expect(html).toMatch(/previous secret accepted for another \d+ h/)
  expect(await reasons('webhook.secret_rotated')).toMatchObject([{ reason: 'ticket 2' }])
})

test('failed events are sent again, which is offered only if there are some', async () => {
  const [{ id }] = await listed()
  const title = 'Send failed events again'
  const before = await page()
  await world.sql.query(
    `insert into outbox (id, tenant, event, payload) values ('evt_failed', 'acme', 'link.failed', '{}')`,
  )
  await world.sql.query(
    `insert into webhook_deliveries (id, webhook, event, tenant, status, failure_reason)
     values ('dlv_failed', $1, 'evt_failed', 'acme', 'dead', 'refused')`,
    [id],
  )
  const offered = await page()

  const shown = await admin.follow(await world.send(admin, `${path}/${id}/replay-failed`, { reason: 'ticket 3' }))

  expect([before.includes(title), offered.includes(title), shown.text.includes(title)]).toEqual([false, true, false])
  expect(shown.text).toContain('Failed events are being sent again.')
  const { rows } = await world.sql.query(`select status from webhook_deliveries where id = 'dlv_failed'`)
  expect(rows[0].status).not.toBe('dead')
  expect(await reasons('webhook.failed_replayed')).toEqual([{ reason: 'ticket 3', actor_id: people.admin.sub }])
})

test('an endpoint is disabled, enabled and deleted, each with a reason', async () => {
  const [{ id }] = await listed()
  const act = (verb: string) => world.send(admin, `${path}/${id}/${verb}`, { reason: `to ${verb}` })

  const shown = await admin.follow(await act('disable'))
  const disabled = await listed()
  await act('enable')
  const enabled = await listed()
  await act('delete')

  expect(shown.text).toContain('Nothing is sent to it until it is enabled.')
  expect(shown.text).toContain(`action="/support${path}/${id}/enable"`)
  expect([disabled[0].status, enabled[0].status]).toEqual(['disabled', 'active'])
  expect(await listed()).toEqual([])
  for (const verb of ['disable', 'enable', 'delete'])
    expect(await reasons(`webhook.${verb}d`)).toMatchObject([{ reason: `to ${verb}` }])
})

test('an unknown endpoint is 404', async () => {
  const answers = await Promise.all(
    ['whk_00000000000000000000000000', 'x'].map((id) => world.send(admin, `${path}/${id}/disable`, { reason: 'r 1' })),
  )

  expect(answers.map(({ status }) => status)).toEqual([404, 404])
})

test("an agent sees endpoints, but can't change them", async () => {
  await add()
  const [{ id }] = await listed()
  const agent = await world.signIn(people.agent)

  const { text } = await world.open(agent, '/tenants/acme')
  const verbs = ['', `/${id}/rotate-secret`, `/${id}/disable`, `/${id}/enable`, `/${id}/delete`]
  const answers = await Promise.all(verbs.map((verb) => world.send(agent, `${path}${verb}`, { reason: 'ticket 3' })))

  expect(text).toContain(id)
  expect(text).not.toContain(`action="/support${path}`)
  expect(answers.map(({ status }) => status)).toEqual(verbs.map(() => 403))
  expect(await listed()).toMatchObject([{ id, status: 'active' }])
})

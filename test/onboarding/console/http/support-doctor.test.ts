// The doctor's pages: opening them sends no requests, and probing an app is audited.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { providerClient } from '../../../support/doubles/provider/provider.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await startConsoleWorld()
})
afterAll(() => world.close())

const integration = 'provider'

test('the list and page of an integration send no requests to the app', async () => {
  const agent = await world.signIn(people.agent)
  const before = world.provider.seen.tokenRequests.length

  const list = await world.open(agent, '/doctor')
  const page = await world.open(agent, `/doctor/${integration}`)

  expect(list.text).toContain('href="/support/doctor/provider"')
  expect(page.text).toContain(`${world.url}/oauth/callback/provider`)
  expect(page.text).toContain('No account has been linked yet')
  expect(page.text).not.toContain('Asked the app, without a user')
  expect(world.provider.seen.tokenRequests).toHaveLength(before)
})

test('the page of an integration shows its health by day; that of a tenant’s own client does not', async () => {
  const agent = await world.signIn(people.agent)
  const none = await world.open(agent, `/doctor/${integration}`)
  await world.sql.query(
    `insert into health_days (integration, day, outcome, checks)
     select $1, date_trunc('day', now() - make_interval(days => at), 'UTC'), outcome, checks
     from (values (0, 'healthy', 30), (0, 'broken', 10), (29, 'untested', 7), (30, 'broken', 99)) as old (at, outcome, checks)`,
    [integration],
  )

  const page = await world.open(agent, `/doctor/${integration}`)

  const today = new Date().toISOString().slice(0, 10)
  expect(none.text).toContain('No connection was checked in the last 30 days.')
  expect(page.text).toContain(`${today}: 40 checks, 10 found a connection broken`)
  expect(page.text).toMatch(/<rect class="pile-linked" x="0" y="25.00" width="10" height="75.00"\/>/)
  expect(page.text).toMatch(/<text x="100%" y="0.00%">40<\/text>/)
  expect(page.text).not.toMatch(/\b99\b/)
})

test('an agent probes the app with a junk code at most once a minute, and that is audited', async () => {
  const agent = await world.signIn(people.agent)

  const asked = await world.send(agent, `/doctor/${integration}/examine`, { reason: 'ticket 7' })
  const again = await world.send(agent, `/doctor/${integration}/examine`, { reason: 'ticket 7' })

  expect(asked.text).toContain('It refused a junk code and not the client: status 400, invalid_grant.')
  expect(asked.text).not.toContain(providerClient.secret)
  expect(asked.text).toContain('leads to this server.')
  expect(again.text).toContain('examined within the last minute')
  expect(world.provider.seen.tokenRequests.filter(({ code }) => code?.startsWith('doctor-'))).toHaveLength(1)
  expect((await world.audit('integration.examined'))[0]).toMatchObject({
    reason: 'ticket 7',
    facts: { integrationId: 'provider', wrongChecks: [] },
  })
})

test("a viewer can't probe, and an unknown integration is 404", async () => {
  const viewer = await world.signIn(people.viewer)

  const refused = await world.send(viewer, `/doctor/${integration}/examine`, { reason: 'ticket 7' })

  expect(refused.status).toBe(403)
  expect((await world.open(viewer, '/doctor/nothing')).status).toBe(404)
  expect((await world.open(viewer, `/doctor/${integration}?tenant=acme`)).status).toBe(404)
})

test('a tenant’s own client is checked separately', async () => {
  const agent = await world.signIn(people.agent)
  await world.api('PUT', `/tenants/acme/oauth-clients/${integration}`, { clientId: 'own', clientSecret: 'own' })

  const page = await world.open(agent, `/doctor/${integration}?tenant=acme`)

  expect(page.text).toContain('The client of acme')
  expect(page.text).toContain('The secret is the client ID.')
})

test('on a phone, the evidence of each check fits on the page', async () => {
  const agent = await world.signIn(people.agent)

  const [list, page] = [await world.open(agent, '/doctor'), await world.open(agent, `/doctor/${integration}`)]

  for (const { text } of [list, page]) {
    const [table = ''] = /<table [^>]*>(?:(?!<\/table>).)*What was seen.*?<\/table>/s.exec(text) ?? []
    expect(table).toMatch(/^<table class="data stacked">/)
    expect(table).not.toContain('extra')
  }
})

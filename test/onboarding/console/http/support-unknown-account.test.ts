import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  agent = await world.signIn(people.agent)
})
afterAll(() => world.close())

async function linked(): Promise<string> {
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  return body.connection.id
}

const forget = (id: string) =>
  world.sql.query('update connections set account_id = null, account_label = null where id = $1', [id])

const sessionsOf = async (id: string) =>
  (await world.sql.query('select id from connect_sessions where connection_id = $1', [id])).rows.length

test('R9: the agent confirms that the account will not be compared before the link is created', async () => {
  const id = await linked()
  const known = await world.open(agent, `/connections/${id}`)
  await forget(id)

  const page = await world.open(agent, `/connections/${id}`)
  const unaware = await world.send(agent, `/connections/${id}/relink`, { reason: 'ticket 1' })
  const before = await sessionsOf(id)
  const aware = await world.send(agent, `/connections/${id}/relink`, { reason: 'ticket 1', anyAccount: 'yes' })

  expect(known.text).not.toContain('name="anyAccount"')
  expect(page.text).toContain('the account can’t be compared')
  expect(page.text).toContain('name="anyAccount"')
  expect([unaware.status, before]).toEqual([422, 0])
  expect(unaware.text).toContain('The account of this connection is unknown')
  expect(aware.text).toContain('The account is unknown and will not be compared')
  expect(await sessionsOf(id)).toBe(1)
  expect(await world.audit('relink.minted')).toMatchObject([{ facts: { accountCompared: false } }])
})

test('R9: a campaign leaves out unconfirmed connections and counts them', async () => {
  const id = await linked()
  await forget(id)
  await world.sql.query("update connections set status = 'needs_relink', cause = 'client_rejected' where id = $1", [id])
  const admin = await world.signIn(people.admin)
  const campaign = { cause: 'client_rejected', days: '1', reason: 'ticket 3' }

  const page = await world.open(admin, '/campaigns/new?cause=client_rejected&days=1')
  const unaware = await world.send(admin, '/campaigns', campaign)
  const before = await sessionsOf(id)
  const aware = await world.send(admin, '/campaigns', { ...campaign, anyAccount: 'yes' })

  expect(page.text).toContain('The account of one connection isn’t known')
  expect([unaware.status, before]).toEqual([409, 0])
  expect(unaware.text).toContain('Connections with an unknown account are left out.')
  expect([aware.status, await sessionsOf(id)]).toEqual([303, 1])
})

test('R9: the connection is shown as not compared until the next re-link', async () => {
  const id = await linked()
  await forget(id)
  const { text } = await world.send(agent, `/connections/${id}/relink`, { reason: 'ticket 2', anyAccount: 'yes' })
  const [, address = ''] = /(http[^"<\s]+\/connect\/[\w-]{43})/.exec(text) ?? []
  const user = new HttpBrowser()
  await user.follow(await user.post(address))

  await expect
    .poll(async () => (await world.open(agent, `/connections/${id}`)).text, { timeout: 20_000 })
    .toContain('account not compared at the last reconnect')
  const { body } = await world.api('POST', `/connections/${id}/relink-sessions`, { reason: 'again' })
  await user.follow(await user.post(body.url))

  await expect
    .poll(async () => (await world.open(agent, `/connections/${id}`)).text, { timeout: 20_000 })
    .not.toContain('account not compared at the last reconnect')
})

test('an admin creates a function for a user who has not linked an account yet', async () => {
  const [admin, tenant] = [await world.signIn(people.admin), 'acme']

  const page = await world.open(admin, `/tenants/${tenant}`)
  const asked = { integration: 'provider', endUserId: 'user-77', reason: 'ticket 4' }
  const made = await world.send(admin, `/tenants/${tenant}/connections`, asked)
  const shown = await world.open(admin, (made.headers.get('location') ?? '').replace('/support', ''))

  expect(page.text).toContain('action="/support/tenants/acme/connections"')
  expect(shown.text).toContain('No account yet')
  expect(shown.text).toContain('The user links an account when an app first calls the function')
  expect(await world.audit('connection.created')).toMatchObject([{ reason: 'ticket 4', tenant: 'acme' }])
})

// Reads every row of every table and every Redis key, so that new tables are covered automatically.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { resumeTasks } from '../../../src/onboarding/connections/flows/work-on-task.ts'
import { sealAudit } from '../../../src/onboarding/flows/seal-audit.ts'
import { verifyChain } from '../../../src/onboarding/flows/verify-audit.ts'
import { workOnImports } from '../../../src/onboarding/imports/flows/work-on-imports.ts'
import { resumeErasures } from '../../../src/onboarding/offboarding/flows/work-on-erasure.ts'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { deliverWebhooks } from '../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { people } from '../../support/doubles/console-issuer.ts'
import { providerClient } from '../../support/doubles/provider/provider.ts'
import { startReceiver, type WebhookReceiver } from '../../support/doubles/webhook-receiver.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { formsOf, postgresReader, redisTexts, type Text } from '../../support/oracles/canaries.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../support/worlds/console-world.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'

const person = {
  id: 'Zyxw-Canary-4242',
  displayName: 'Wilhelmina Canaria',
  email: 'wilhelmina.canaria@home.example',
}
const account = { subject: 'acct-zebrafinch-77', email: 'zebrafinch@provider.example' }
const address = '203.0.113.77'
const team = 'zebrafinchteam'
const alias = 'finch-mailbox'
const label = 'finch-project-9'
const names = [
  ...Object.values(person),
  ...Object.values(account),
  team,
  'Mrs. Finchley',
  'row-of-finchley',
  alias,
  label,
  'finch-second',
  'finch-imported',
]

let world: ConsoleWorld
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startConsoleWorld({
    egressAllow: [receiver.host],
    env: { TRUST_PROXY: '127.0.0.1' },
    integration: {
      rotation: 'none',
      inputs: { team: { label: 'Team', help: 'h', example: 'acme', pattern: '[a-z]{2,20}', as: 'text' } },
    },
  })
  world.provider.behaviour.subject = account.subject
  world.provider.behaviour.email = account.email
  await world.api('POST', '/tenants/acme/webhooks', { url: receiver.url })
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

const theirBrowser = () => new HttpBrowser({ 'X-Forwarded-For': address })

/** Lower case, because indexes and searches fold case. */
function placesOf(wanted: readonly string[], texts: readonly Text[]): string[] {
  return wanted.flatMap((value) =>
    Object.values(formsOf(value))
      .flat()
      .flatMap((form) => texts.filter(({ text }) => text.toLowerCase().includes(form.toLowerCase())))
      .map(({ place }) => `${value} in ${place}`),
  )
}

async function link(more: Record<string, unknown> = {}): Promise<string> {
  const minted = await world.mint({ endUser: person, inputs: { team }, locale: 'de', ...more })
  const { query } = await world.consent(minted, theirBrowser())
  const { body } = await world.complete(minted, query)
  if (body.status !== 'linked') throw new Error(`not linked: ${JSON.stringify(body)}`)
  return body.connection.id
}

async function bringIn(): Promise<void> {
  const { id } = (await world.api('POST', '/imports', { tenantId: 'acme', name: 'old ones' })).body
  const row = (key: string, more: object = {}) => {
    const token = `CANARY-RT-import-${key}`
    world.provider.issued.push({ code: '', revoked: false, token, client: providerClient.id, subject: account.subject })
    return { key, integrationId: 'provider', endUser: person, inputs: { team }, refreshToken: token, ...more }
  }
  const add = async (to: string, rows: object[]) => {
    const added = await world.api('POST', `/imports/${to}/rows`, { rows })
    expect(added.status, JSON.stringify(added.body)).toBe(200)
  }
  await add(id, [
    row('row-of-finchley', { alias: 'finch-imported', labels: { project: label } }),
    row('bad', { integrationId: 'unknown-one' }),
  ])
  await workOnImports(world.ports, world.settings)
  const { id: waiting } = (await world.api('POST', '/imports', { tenantId: 'acme' })).body
  await add(waiting, [row('later-of-finchley')])
}

async function useTheManagePage(connection: string): Promise<void> {
  const { id, url } = (await world.api('POST', '/manage-sessions', { tenantId: 'acme', endUser: person, returnUrl }))
    .body
  const browser = theirBrowser()
  await browser.follow(await browser.get(url))
  await browser.get(`${world.url}/manage/${id}/connections/${connection}`)
  await browser.post(`${world.url}/manage/${id}/connections/${connection}/disconnect`)
}

async function haveSupportLookAtIt(connection: string): Promise<void> {
  const agent = await world.signIn(people.agent)
  const reason = `Mrs. Finchley (${person.email}) called`
  await world.open(agent, `/search?q=${encodeURIComponent(person.email)}`)
  await world.send(agent, `/connections/${connection}/check`, { reason })
  await world.send(agent, `/connections/${connection}/relink`, { reason, days: '1' })
}

async function relink(connection: string): Promise<void> {
  const asked = { reason: 'Mrs. Finchley asked for it' }
  const { url } = (await world.api('POST', `/connections/${connection}/relink-sessions`, asked)).body
  const browser = theirBrowser()
  await browser.follow(await browser.post(url))
}

async function leaveThingsOpen(): Promise<void> {
  const cancelled = await world.mint({ endUser: person })
  await world.api('POST', `/connect-sessions/${cancelled.id}/cancel`)
  const said = await world.mint({ endUser: person, inputs: { team } })
  await theirBrowser().post(`${said.url}/cancel`)
  await world.untilCallback(await world.mint({ endUser: person, inputs: { team } }), theirBrowser())
  await world.mint({ endUser: person, integrationId: undefined, integrationIds: ['provider'] })
  await world.api('POST', '/manage-sessions', { tenantId: 'acme', endUser: person })
  world.platform.fault = () => 422
  const stuck = await world.mint({ endUser: person, inputs: { team } })
  await world.complete(stuck, (await world.consent(stuck, theirBrowser())).query)
  world.platform.fault = undefined
}

async function untilErased(id: string): Promise<Record<string, never>> {
  for (let round = 0; round < 30; round++) {
    const { body } = await world.api('GET', `/erasures/${id}`)
    if (body.status === 'done') return body
    for (const table of ['erasures', 'connection_tasks', 'outbox', 'webhook_deliveries'])
      await world.sql.query(`update ${table} set due_at = now() where due_at is not null`)
    await world.sql.query(`update links set due_at = now() where due_at is not null and state <> 'authorizing'`)
    await resumeErasures(world.ports, world.settings)
    await resumeTasks(world.ports, world.settings)
    await sweepLinks(world.ports, world.settings)
    await (await deliverWebhooks(world.ports)()).done
  }
  throw new Error(`not erased: ${JSON.stringify((await world.api('GET', `/erasures/${id}`)).body)}`)
}

test('after an erasure no row or key contains the person, the account or their input', async () => {
  const first = await link({ alias, labels: { project: label } })
  await useTheManagePage(first)
  const second = await link()
  await relink(second)
  await world.api('PATCH', `/connections/${second}`, { alias: 'finch-second', labels: { project: label } })
  await haveSupportLookAtIt(second)
  await bringIn()
  await leaveThingsOpen()
  const other = await link({ endUser: { id: 'somebody-else' }, inputs: { team: 'others' } })
  await deliverWebhooks(world.ports)().then(({ done }) => done)
  await sealAudit(world.ports)
  const before = placesOf(names, await postgresReader(world.sql)())

  const admin = await world.signIn(people.admin)
  const form = { tenant: 'acme', endUserId: person.id, confirm: person.id, reason: 'ticket 4711' }
  const asked = await world.send(admin, '/erasures', form)
  const id = asked.headers.get('location')?.split('/').at(-1) ?? ''
  const { receipt } = (await untilErased(id)) as unknown as { receipt: { grants: Array<{ revocation: string }> } }

  // Proves that the search finds the canaries before the erasure.
  const tables = ['links', 'connect_sessions', 'connections', 'manage_sessions', 'import_rows', 'outbox', 'audit']
  for (const table of tables) expect(before.join('\n'), table).toContain(`postgres ${table}`)
  // Another user has the same account, whose data stays.
  const texts = [...(await postgresReader(world.sql)()), ...(await redisTexts(world.redis.url))]
  const theirs = placesOf(Object.values(account), texts).every((place) =>
    /postgres (links|connections|audit)$/.test(place),
  )
  expect(
    placesOf(
      names.filter((name) => !Object.values(account).includes(name)),
      texts,
    ),
  ).toEqual([])
  expect(theirs).toBe(true)
  const { rows: accounts } = await world.sql.query(
    `select end_user_id from connections where account_id = $1 union select end_user ->> 'id' from links where account_id = $1`,
    [account.subject],
  )
  expect(accounts).toEqual([{ end_user_id: 'somebody-else' }])
  const { rows: addresses } = await world.sql.query(
    `select action, link from audit where address = $1 and link is distinct from (
       select max(id) from links where end_user ->> 'id' = 'somebody-else')`,
    [address],
  )
  expect(addresses).toEqual([])
  expect(receipt.grants.length).toBeGreaterThanOrEqual(3)
  expect((await world.api('GET', `/connections/${other}`)).body).toMatchObject({ status: 'active' })
  expect((await world.api('GET', `/connections/${second}`)).body).toMatchObject({
    status: 'disconnected',
    endUser: { id },
  })
  await sealAudit(world.ports)
  expect(await verifyChain(world.ports.auditChains, { chain: 'acme', saved: [] })).not.toHaveProperty('finding')
  expect(await world.ports.auditChains.specials('acme')).toMatchObject([{ kind: 'erasure', erasureId: id }])
  const told = receiver.messages.map(({ body }) => JSON.parse(body))
  expect(told.filter(({ type }) => type === 'end_user.erased')).toMatchObject([{ data: { erasureId: id } }])
  const page = await world.open(admin, `/erasures/${id}`)
  expect(page.text).toContain('Done')
  expect(placesOf(names, [{ place: 'page', text: page.text }])).toEqual([])

  const again = await link()
  expect((await world.api('GET', `/connections/${again}`)).body).toMatchObject({ endUser: { id: person.id } })
}, 60_000)

test('only admins can erase in the console, after typing the ID twice and without naming the person in the reason', async () => {
  const form = { tenant: 'acme', endUserId: 'Somebody', confirm: 'Somebody', reason: 'ticket 4711' }
  const [agent, admin] = [await world.signIn(people.agent), await world.signIn(people.admin)]

  const sent = [
    await world.send(agent, '/erasures', form),
    await world.send(admin, '/erasures', { ...form, confirm: 'somebody' }),
    await world.send(admin, '/erasures', { ...form, reason: 'somebody called' }),
    await world.send(admin, '/erasures', { ...form, tenant: 'nobody' }),
  ]
  const page = await world.open(agent, '/erasures?tenant=acme&endUserId=Somebody')
  const { rows } = await world.sql.query(`select 1 from erasures where end_user_id is not null and tenant = 'acme'`)

  expect(sent.map(({ status }) => status)).toEqual([403, 422, 422, 404])
  expect(page.text).toContain('Only admins can erase end users.')
  expect(rows).toEqual([])
})

test('only an erasure can change the audit log, and only to remove the user', async () => {
  const change = (set: string) =>
    world.sql.query(`update audit set ${set} where id = (select max(id) from audit where tenant = 'acme')`)
  await world.sql.query(
    `insert into erasures (id, tenant, subject, end_user_id, step, actor, due_at)
     values ('ers_mine', 'acme', 'x', 'x', 'erasing', '{"kind":"operator"}', null)`,
  )

  for (const set of [
    'reason = null',
    `erasure = 'ers_none', reason = null`,
    `erasure = 'ers_mine', reason = 'something else'`,
    `erasure = 'ers_mine', reason = null, action = 'tenant.deleted'`,
    `erasure = 'ers_mine', reason = null, after = '{"status": "active"}'`,
    `erasure = 'ers_mine', reason = null, actor_id = 'somebody else'`,
  ])
    await expect(change(set), set).rejects.toThrow('the audit is only ever added to')
  await expect(world.sql.query('delete from audit')).rejects.toThrow('the audit is only ever added to')
})

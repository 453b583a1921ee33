// What an agent does in the console: each action has its effect, and stands on record with who, why, before and after.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changesOf } from '../../../../src/onboarding/console/http/locals/audit.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import { grantRevoked } from '../../../support/doubles/control-plane.ts'
import { startReceiver, type WebhookReceiver } from '../../../support/doubles/webhook-receiver.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let receiver: WebhookReceiver
let agent: HttpBrowser

beforeAll(async () => {
  receiver = await startReceiver()
  // Like Google: revoking one token ends the whole consent, so the grant before a re-link is kept for a day.
  const integration = { health: { tool: 'list_files' }, revocation: { reach: 'grant' } }
  world = await startConsoleWorld({ integration, egressAllow: [receiver.host] })
  await world.api('POST', '/tenants/acme/webhooks', { url: receiver.url })
  agent = await world.signIn(people.agent)
})

afterAll(async () => {
  await world.close()
  await receiver.close()
})

type Thing = Record<string, string>
type Action = {
  /** What it is done to: `id` and whatever else its path and its record name. */
  on(): Promise<Thing>
  path(thing: Thing): string
  fields?(thing: Thing): Record<string, string>
  facts?: Record<string, unknown>
  action: string
  before(thing: Thing): object
  after(thing: Thing): object
  /** What is different in the world. */
  effect(thing: Thing, page: string): Promise<unknown>
  is(thing: Thing): unknown
}

const connection = async (id: string) => (await world.api('GET', `/connections/${id}`)).body

/** Links an account; `refuse` says what the platform refuses meanwhile. */
async function link(refuse?: string) {
  world.platform.fault = ({ method, path }) => (method === 'POST' && path === refuse ? 422 : undefined)
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  world.platform.fault = undefined
  return body
}

async function linked(): Promise<Thing> {
  const { id, name } = (await link()).connection
  return { id, name }
}

async function linkedAgain(): Promise<Thing> {
  const thing = await linked()
  const { body } = await world.api('POST', `/connections/${thing.id}/relink-sessions`, { reason: 'for the test' })
  const user = new HttpBrowser()
  await user.follow(await user.post(body.url))
  return thing
}

async function withAddress(): Promise<Thing> {
  const thing = await linked()
  const { body } = await world.api('POST', `/connections/${thing.id}/relink-sessions`, { reason: 'for the test' })
  return { ...thing, session: body.id, address: body.url }
}

async function delivered(): Promise<Thing> {
  await link()
  await deliver()
  const { body } = await world.api('GET', '/tenants/acme/webhook-deliveries?status=delivered&limit=1')
  receiver.messages.length = 0
  return { id: body.data[0].id, event: body.data[0].event.id }
}

const deliver = async () => (await world.flows.deliverWebhooks()).done

const working = { status: 'active', cause: null }

const actions: Record<string, Action> = {
  'resumes a link from the step it stopped at': {
    on: async () => ({ id: (await link('/v0/functions')).id }),
    path: ({ id }) => `/links/${id}/resume`,
    action: 'link.resumed',
    before: () => ({ state: 'needs_attention', cause: 'platform_refused' }),
    after: () => ({ state: 'connection_ready', cause: null }),
    effect: async ({ id }) => (await world.api('GET', `/links/${id}`)).body.status,
    is: () => 'linked',
  },
  'resumes all links that stopped for a cause': {
    on: async () => ({ id: (await link('/v0/functions')).id }),
    path: () => '/links/resume',
    fields: () => ({ cause: 'platform_refused' }),
    action: 'link.resumed',
    facts: { from: 'connection_ready' },
    before: () => ({ state: 'needs_attention', cause: 'platform_refused' }),
    after: () => ({ state: 'connection_ready', cause: null }),
    async effect({ id }) {
      await world.flows.sweepLinks()
      return (await world.api('GET', `/links/${id}`)).body.status
    },
    is: () => 'linked',
  },
  'ends a link that nothing will come of': {
    on: async () => ({ id: (await link('/v0/functions')).id }),
    path: ({ id }) => `/links/${id}/end`,
    action: 'link.ended',
    before: () => ({ state: 'needs_attention', cause: 'platform_refused' }),
    after: () => ({ state: 'failed' }),
    effect: async ({ id }) => (await world.api('GET', `/links/${id}`)).body.status,
    is: () => 'failed',
  },
  'mints a re-link address': {
    on: linked,
    path: ({ id }) => `/connections/${id}/relink`,
    fields: () => ({ days: '7' }),
    action: 'relink.minted',
    before: () => working,
    facts: { allowOtherAccount: false, ttlSeconds: 7 * 86_400 },
    after: () => working,
    effect: async (_, page) => (await new HttpBrowser().get(addressIn(page))).status,
    is: () => 200,
  },
  'cancels an address': {
    on: withAddress,
    path: ({ id, session }) => `/connections/${id}/addresses/${session}/cancel`,
    action: 'session.cancelled',
    before: () => ({ cancelled: false }),
    after: () => ({ cancelled: true }),
    effect: async ({ address = '' }) => (await new HttpBrowser().get(address)).status,
    is: () => 410,
  },
  'checks the health of a connection that broke': {
    async on() {
      world.platform.tool = () => grantRevoked
      return linked()
    },
    path: ({ id }) => `/connections/${id}/check`,
    action: 'connection.checked',
    before: () => working,
    facts: { outcome: 'broken' },
    after: () => ({ status: 'needs_relink', cause: 'grant_revoked' }),
    effect: async ({ id = '' }) => (await connection(id)).status,
    is: () => 'needs_relink',
  },
  'checks the health of a connection while the third party is down': {
    async on() {
      world.platform.tool = () => ({ code: 'third_party_unavailable', text: 'It did not answer. Try again later.' })
      return linked()
    },
    path: ({ id }) => `/connections/${id}/check`,
    action: 'connection.checked',
    before: () => working,
    facts: { outcome: 'unclear' },
    after: () => working,
    effect: async ({ id = '' }) => (await connection(id)).status,
    is: () => 'active',
  },
  'verifies the function over MCP': {
    on: linked,
    path: ({ id }) => `/connections/${id}/verify`,
    action: 'connection.verified',
    before: () => working,
    facts: { tools: ['list_files'] },
    after: () => working,
    effect: async (_, page) => page.includes('<code>list_files</code>'),
    is: () => true,
  },
  'revokes the access of an MCP client': {
    on: linked,
    path: ({ id }) => `/connections/${id}/mcp-clients/fg_1/revoke`,
    action: 'function_grant.revoked',
    before: () => working,
    facts: { grant: 'fg_1' },
    after: () => working,
    effect: async ({ id }) =>
      (await world.open(agent, `/connections/${id}/mcp-clients`)).text.includes('No app has access.'),
    is: () => true,
  },
  'rolls back to the grant before a re-link': {
    on: linkedAgain,
    path: ({ id }) => `/connections/${id}/rollback`,
    action: 'connection.rolled_back',
    before: ({ name }) => ({ ...working, name }),
    after: ({ name }) => ({ ...working, name }),
    effect: async ({ id }) =>
      (await world.sql.query('select grant_version from connections where id = $1', [id])).rows[0].grant_version,
    is: () => 2,
  },
  'replays a webhook': {
    on: delivered,
    path: ({ id }) => `/webhooks/acme/${id}/replay`,
    action: 'webhook.replayed',
    before: () => ({ status: 'delivered' }),
    after: () => ({ status: 'pending' }),
    async effect({ event }) {
      await deliver()
      return receiver.messages.map(({ headers }) => headers['webhook-id']).filter((id) => id === event)
    },
    is: ({ event }) => [event],
  },
  'disconnects, having typed the name': {
    on: linked,
    path: ({ id }) => `/connections/${id}/disconnect`,
    fields: ({ name = '' }) => ({ confirm: name }),
    action: 'connection.disconnected',
    before: ({ name }) => ({ ...working, name }),
    after: ({ name }) => ({ status: 'disconnected', cause: null, name }),
    effect: async ({ id = '', name }) => [
      (await connection(id)).status,
      world.platform.functions.has(`acme/${name}`),
      world.platform.connections.has(`acme/${name}`),
    ],
    is: () => ['disconnected', false, false],
  },
}

test.each(Object.entries(actions))('an agent %s', async (_, action) => {
  const thing = await action.on()
  const reason = `ticket ${thing.id}`

  const { status, text } = await world.send(agent, action.path(thing), { reason, ...action.fields?.(thing) })

  expect([200, 303]).toContain(status)
  // The page waits for a moment; what takes longer goes on without it.
  await expect.poll(() => action.effect(thing, text), { timeout: 20_000 }).toEqual(action.is(thing))
  await expect
    .poll(() => recordOf(action.action, reason), { timeout: 20_000 })
    .toMatchObject([
      {
        actor_kind: 'support',
        actor_id: people.agent.sub,
        actor_name: people.agent.email,
        tenant: 'acme',
        request_id: expect.stringMatching(/^req_/),
        facts: action.facts ?? {},
        before: action.before(thing),
        after: action.after(thing),
      },
    ])
  world.platform.tool = () => undefined
})

const refusals: Record<string, { path(thing: Thing): string; fields: Record<string, string>; says: string[] }> = {
  'that gives no reason': {
    path: ({ id }) => `/connections/${id}/check`,
    fields: { reason: '' },
    says: ['Something is missing or invalid', 'Give a reason in a few words.'],
  },
  'that has no grant to go back to': {
    path: ({ id }) => `/connections/${id}/rollback`,
    fields: { reason: 'ticket 1' },
    says: ['Can’t roll back', 'none was stored', 'Create a reconnect link'],
  },
  'on a connection that is not there': {
    path: () => '/connections/con_none/check',
    fields: { reason: 'ticket 1' },
    says: ['Page not found'],
  },
}

test.each(Object.entries(refusals))(
  'an action %s is refused in words for support, and leads back',
  async (_, refusal) => {
    const thing = await linked()

    const { status, text } = await world.send(agent, refusal.path(thing), refusal.fields)

    expect(status).toBeGreaterThanOrEqual(400)
    for (const words of refusal.says) expect(text).toContain(words)
    expect(text).toContain('href="/support"')
  },
)

test('an admin sees how many connections a campaign is about, and can cancel it', async () => {
  const [admin, agent] = [await world.signIn(people.admin), await world.signIn()]
  await world.sql.query(`
    insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
      cause, end_user_id, account_id)
    select 'con_many' || n, 'acme', 'acme', 'provider', 'many-' || n, 'many-' || n, 'https://x.example', '{}',
      'needs_relink', case when n <= 2 then 'code_refused' else 'consent_failed' end, 'u', 'account-' || n
    from generate_series(1, 5009) as n`)
  const fields = { cause: 'code_refused', tenant: 'acme', integration: '', days: '3' }
  const query = new URLSearchParams(fields)

  const few = await world.open(admin, `/campaigns/new?${query}`)
  const many = await world.open(admin, '/campaigns/new?cause=consent_failed&tenant=&integration=')
  const started = await admin.follow(await world.send(admin, '/campaigns', { ...fields, reason: 'ticket 1' }))
  const none = await world.open(admin, `/campaigns/new?${query}`)
  const [, id] = /(cmp_\w+)/.exec((await world.open(admin, '/campaigns')).text) ?? []
  const page = await world.open(admin, `/campaigns/${id}`)
  const files = [1, 2].map(() => world.open(admin, `/campaigns/${id}/links.csv`))
  const [file, sameFile] = (await Promise.all(files)).map(({ text }) => text)
  const refused = await world.send(agent, `/campaigns/${id}/cancel`, { reason: 'ticket 2' })
  const unsaid = await world.send(admin, `/campaigns/${id}/cancel`, { reason: '' })
  const cancelled = await admin.follow(await world.send(admin, `/campaigns/${id}/cancel`, { reason: 'ticket 2' }))
  const again = await world.open(admin, `/campaigns/new?${query}`)
  await world.sql.query(`update connections set status = 'disconnected' where id like 'con_many%'`)

  expect(few.text).toContain('2 connections (acme) would get a reconnect link')
  expect(few.text).not.toContain('Too many for one campaign')
  expect(many.text).toMatch(/5007 connections[\s\S]*The first 5000 get a link now\.[\s\S]*for the other 7;/)
  expect(file).toMatch(/^connectionId,connectionName,tenantId,integrationId,endUserId,accountLabel,url,expiresAt\r\n/)
  expect(sameFile).toBe(file)
  expect(started.text).toContain('The campaign has started.')
  expect(page.text).toContain(`href="/support/campaigns/${id}/links.csv"`)
  expect(cancelled.text).not.toContain('links.csv')
  expect(none.text).toMatch(/0 connections[\s\S]*Cancel it on the campaign’s page/)
  expect(page.text).toContain('Cancel campaign')
  expect([refused.status, unsaid.status]).toEqual([403, 422])
  expect(cancelled.text).toMatch(/cancelled \d+ s ago[\s\S]*no longer work/)
  expect(cancelled.text).not.toContain('Cancel campaign')
  expect(again.text).toContain('2 connections')
})

test('addresses are cancelled where a first try failed, too, and that is offered no longer than it does anything', async () => {
  const admin = await world.signIn(people.admin)
  await world.sql.query(`
    insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
      cause, end_user_id, account_id)
    values ('con_failed', 'acme', 'acme', 'provider', 'failed', 'failed', 'https://x.example', '{}', 'needs_relink',
      'code_refused', 'u', 'a')`)
  await world.send(admin, '/campaigns', { cause: 'code_refused', reason: 'ticket 1' })
  await world.sql.query(`
    insert into links (id, session_id, tenant, workspace, integration, end_user, browser, state, connection_id,
      connection_name, function_name, relink)
    select 'lnk_failed', id, tenant, 'acme', integration, end_user, '', 'denied', connection_id, 'failed', 'failed', true
    from connect_sessions where connection_id = 'con_failed'`)
  const [, id] = /(cmp_\w+)/.exec((await world.open(admin, '/campaigns')).text) ?? []

  const page = await world.open(admin, `/campaigns/${id}`)
  const cancelled = await admin.follow(await world.send(admin, `/campaigns/${id}/cancel`, { reason: 'ticket 2' }))
  await world.sql.query(`update connections set status = 'disconnected' where id = 'con_failed'`)

  expect(page.text).toContain('Cancel campaign')
  expect(cancelled.text).toMatch(/>Failed</)
  expect(cancelled.text).not.toContain('Cancel campaign')
})

test('a campaign says which links would not work, makes none of them, and asks whether the operator has acted', async () => {
  const admin = await world.signIn(people.admin)
  await world.sql.query(`
    insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
      cause, end_user_id, account_id)
    values ('con_clientless', 'acme', 'acme', 'gone', 'clientless', 'clientless', 'https://x.example', '{}',
      'needs_relink', 'client_rejected', 'u', 'a')`)

  const page = await world.open(admin, '/campaigns/new?cause=client_rejected&integration=gone')
  const refused = await world.send(admin, '/campaigns', {
    cause: 'client_rejected',
    integration: 'gone',
    reason: 'r 1',
  })
  await world.sql.query("update connections set integration = 'provider' where id = 'con_clientless'")
  const linkable = await world.open(admin, '/campaigns/new?cause=client_rejected&integration=provider')
  await world.sql.query("update connections set status = 'disconnected' where id = 'con_clientless'")

  expect(page.text).toMatch(/0 connections[\s\S]*Left out: no OAuth client[\s\S]*gone \(1\)/)
  expect(page.text).not.toContain('Create links')
  expect(refused.status).toBe(409)
  expect(linkable.text).toMatch(/One connection[\s\S]*Has the operator fixed this\?[\s\S]*Create links/)
  expect(linkable.text).not.toContain('Left out')
})

test('how many links were resumed is said once', async () => {
  await link('/v0/functions')
  const sent = await world.send(agent, '/links/resume', { cause: 'platform_refused', reason: 'ticket 9' })

  const first = await agent.follow(sent)
  const reloaded = await world.open(agent, '/links?state=needs_attention&cause=platform_refused')
  await world.flows.sweepLinks()

  expect(first.text).toContain('One link was resumed.')
  expect(reloaded.text).not.toContain('resumed.')
})

test('where a link goes on from is said in words', async () => {
  const { id } = await link('/v0/functions')

  const page = await world.open(agent, `/links/${id}`)
  await world.send(agent, `/links/${id}/resume`, { reason: 'ticket 9' })

  expect(page.text).toContain('Continues where it stopped: “Connection created on the platform”.')
})

test('a campaign that nobody needs is refused in words for support', async () => {
  const admin = await world.signIn(people.admin)

  const { status, text } = await world.send(admin, '/campaigns', { cause: 'scope_missing', reason: 'ticket 1' })

  expect(status).toBe(409)
  expect(text).toContain('No connections to include')
})

test.each([
  ['what changed', { status: 'active', name: 'a' }, { status: 'disconnected', name: 'a' }, ['status']],
  ['what was made', undefined, { session: 'ses_1' }, ['session']],
  ['nothing as gone, where work has only begun', { status: 'active', name: 'a' }, undefined, []],
])('the page of the audit shows %s', (_, before, after, names) => {
  expect(changesOf({ before, after }).map(({ name }) => name)).toEqual(names)
})

const recordOf = async (action: string, reason: string) =>
  (await world.sql.query('select * from audit where action = $1 and reason = $2', [action, reason])).rows

const addressIn = (page: string) => /id="address">([^<]+)</.exec(page)?.[1] ?? ''

// Each action of an agent has its effect and is audited with actor, reason, before and after.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { changesOf } from '../../../../src/onboarding/console/http/locals/audit.ts'
import { sweepLinks } from '../../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { deliverWebhooks } from '../../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
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
  /** Creates the target of the action: its `id` and the other values of its path and audit entry. */
  on(): Promise<Thing>
  path(thing: Thing): string
  fields?(thing: Thing): Record<string, string>
  facts?: Record<string, unknown>
  action: string
  before(thing: Thing): object
  after(thing: Thing): object
  /** Reads the state that the action changes. */
  effect(thing: Thing, page: string): Promise<unknown>
  is(thing: Thing): unknown
}

const connection = async (id: string) => (await world.api('GET', `/connections/${id}`)).body

/** Links an account. The platform rejects POST requests to `refuse`. */
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

const deliver = async () => (await deliverWebhooks(world.ports)()).done

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
      await sweepLinks(world.ports, world.settings)
      return (await world.api('GET', `/links/${id}`)).body.status
    },
    is: () => 'linked',
  },
  'ends a link that cannot succeed': {
    on: async () => ({ id: (await link('/v0/functions')).id }),
    path: ({ id }) => `/links/${id}/end`,
    action: 'link.ended',
    before: () => ({ state: 'needs_attention', cause: 'platform_refused' }),
    after: () => ({ state: 'failed' }),
    effect: async ({ id }) => (await world.api('GET', `/links/${id}`)).body.status,
    is: () => 'failed',
  },
  'changes the names of a connection': {
    on: linked,
    path: ({ id }) => `/connections/${id}/names`,
    fields: ({ id = '' }) => ({ alias: id.slice(-12), labels: ' team=sales,  plan=pro ' }),
    action: 'connection.renamed',
    before: () => ({ alias: null, labels: [] }),
    after: ({ id = '' }) => ({ alias: id.slice(-12), labels: ['plan', 'team'] }),
    effect: async ({ id = '' }) => {
      const { alias, labels } = await connection(id)
      return { alias, labels }
    },
    is: ({ id = '' }) => ({ alias: id.slice(-12), labels: { team: 'sales', plan: 'pro' } }),
  },
  'creates a reconnect link': {
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
  'cancels a reconnect link': {
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
  // The page waits only briefly, so the work may still be running.
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

test.each(Object.entries(refusals))('an action %s is rejected with a message for support', async (_, refusal) => {
  const thing = await linked()

  const { status, text } = await world.send(agent, refusal.path(thing), refusal.fields)

  expect(status).toBeGreaterThanOrEqual(400)
  for (const words of refusal.says) expect(text).toContain(words)
  expect(text).toContain('href="/support"')
})

test('an alias in use comes back with its field, and empty fields remove the names', async () => {
  const [one, other] = [await linked(), await linked()]
  const names = (alias: string, labels: string) => ({ reason: 'ticket 3', alias, labels })
  await world.send(agent, `/connections/${one.id}/names`, names('in-use', 'team=sales'))

  const taken = await world.send(agent, `/connections/${other.id}/names`, names('in-use', 'team'))
  const again = await world.send(agent, `/connections/${other.id}/names`, names('in-use', ''))
  await world.send(agent, `/connections/${one.id}/names`, names('', ''))

  expect(taken.text).toContain('Labels must be name=value pairs')
  expect(again.text).toContain('id="fault-alias"')
  const removed = await connection(one.id ?? '')
  expect(removed).not.toHaveProperty('alias')
  expect(removed).not.toHaveProperty('labels')
})

test('the number of resumed links is shown once', async () => {
  await link('/v0/functions')
  const sent = await world.send(agent, '/links/resume', { cause: 'platform_refused', reason: 'ticket 9' })

  const first = await agent.follow(sent)
  const reloaded = await world.open(agent, '/links?state=needs_attention&cause=platform_refused')
  await sweepLinks(world.ports, world.settings)

  expect(first.text).toContain('One link was resumed.')
  expect(reloaded.text).not.toContain('resumed.')
})

test('the step at which a link continues is described in plain words', async () => {
  const { id } = await link('/v0/functions')

  const page = await world.open(agent, `/links/${id}`)
  await world.send(agent, `/links/${id}/resume`, { reason: 'ticket 9' })

  expect(page.text).toContain('Continues where it stopped: “Connection created on the platform”.')
})

test.each([
  ['what changed', { status: 'active', name: 'a' }, { status: 'disconnected', name: 'a' }, ['status']],
  ['created resources', undefined, { session: 'ses_1' }, ['session']],
  ['no removals while the work is in progress', { status: 'active', name: 'a' }, undefined, []],
])('the audit page shows %s', (_, before, after, names) => {
  expect(changesOf({ before, after }).map(({ name }) => name)).toEqual(names)
})

const recordOf = async (action: string, reason: string) =>
  (await world.sql.query('select * from audit where action = $1 and reason = $2', [action, reason])).rows

const addressIn = (page: string) => /id="address">([^<]+)</.exec(page)?.[1] ?? ''

// Vendors' own MCP servers over real HTTP: three ways to obtain a client, both protocol versions, and servers that
// rotate, forget and flood.
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { issuerKey } from '../../../../src/onboarding/domain/mcp/registered-client.ts'
import { staticClient } from '../../../support/doubles/mcp-server/authorization-server.ts'
import {
  floods,
  type McpServerDouble,
  type McpServerSwitches,
  startMcpServer,
} from '../../../support/doubles/mcp-server/mcp-server.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { waitFor } from '../../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../../support/processes/stores.ts'
import {
  type MintedSession,
  type OnboardingWorld,
  returnUrl,
  startOnboarding,
} from '../../../support/worlds/onboarding-world.ts'

const publicUrl = 'https://connect.example'

const setUps = {
  documents: { clients: 'document', age: 'stateless', challengeNames: true, resourceScopes: ['notes:read'] },
  registers: {
    clients: 'registration',
    age: 'sessions',
    rotates: true,
    namesIssuer: true,
    challengedScope: 'notes:write',
  },
  static: { clients: 'static', age: 'stateless', authMethods: ['client_secret_post'] },
  forgets: { clients: 'registration', scopes: ['offline_access'] },
  refuses: { clients: 'static' },
  entra: { clients: 'static', rejectsResource: true },
  cognito: { clients: 'static', hidesPkce: true },
} satisfies Record<string, McpServerSwitches>
type SetUp = keyof typeof setUps

let world: OnboardingWorld
const servers = {} as Record<SetUp, McpServerDouble>
const flooding = {} as Record<(typeof floods)[number], McpServerDouble>

const idOf = (flood: (typeof floods)[number]) => `flood-${flood.replace('_', '-')}`

const reach = (url: string) => url.replace(publicUrl, world.url)

beforeAll(async () => {
  for (const [name, switches] of Object.entries(setUps)) {
    servers[name as SetUp] = await startMcpServer({ ...switches, reach } as McpServerSwitches)
  }
  for (const flood of floods) flooding[flood] = await startMcpServer({ clients: 'registration', flood })
  const all: Record<string, McpServerDouble> = { ...servers }
  for (const flood of floods) all[idOf(flood)] = flooding[flood]
  const secret = { clientId: staticClient.id, clientSecret: staticClient.secret }
  const integrations = Object.entries(all).map(([id, server]) => ({
    ...server.entry(id),
    ...(['static', 'entra', 'cognito'].includes(id) && secret),
    ...(id === 'entra' && { resourceParameter: 'omit' }),
    ...(id === 'cognito' && { pkceMetadata: 'optional' }),
  }))
  const file = join(temporaryFolder(), 'integrations.json')
  writeFileSync(file, JSON.stringify({ integrations }))
  world = await startOnboarding({
    egressAllow: Object.values(all).map(({ host }) => host),
    env: { PUBLIC_URL: publicUrl, INTEGRATIONS_FILE: file },
  })
})
afterAll(async () => {
  await world?.close()
  await Promise.all([...Object.values(servers), ...Object.values(flooding)].map((server) => server.close()))
})

const browser = () => new HttpBrowser({}, reach)

const link = async (integrationId: string) => finish(await world.mint({ integrationId }))

async function finish(minted: MintedSession) {
  const { query } = await world.consent(minted, browser())
  const { body } = await world.complete(minted, query)
  // On a busy machine the response may come before the link has ended.
  return waitFor('the link has ended', async () => {
    const { body: now } = await world.api('GET', `/links/${body.id}`)
    return now.status !== 'pending' && now
  })
}

const provisioned = (connection: { name: string }) =>
  [...world.platform.connections.values()].find(({ metadata }) => metadata.name === connection.name)?.spec as {
    config: Record<string, string>
    secret: Record<string, string>
  }
const tokenForms = (server: McpServerDouble) => server.authorization.seen.filter(({ path }) => path === '/token')

describe.each(['documents', 'registers', 'static', 'forgets'] as const)(
  'a server that identifies clients by %s',
  (name) => {
    test('is linked by its URL, with PKCE and the resource in every request', async () => {
      const server = servers[name]

      const linked = await link(name)

      expect(linked.status).toBe('linked')
      const { config, secret } = provisioned(linked.connection)
      expect(config).toMatchObject({ resource: server.url, token_endpoint: server.url.replace('/mcp', '/login/token') })
      expect(secret.REFRESH_TOKEN).toMatch(/^CANARY-REFRESH-/)
      const [authorized] = server.authorization.seen
      expect(authorized?.form).toMatchObject({ resource: server.url, code_challenge_method: 'S256' })
      expect(tokenForms(server)[0]?.form.resource).toBe(server.url)
    })
  },
)

test.each([
  ['entra', undefined],
  ['cognito', 'sent'],
] as const)('links a server behind %s with the exception of its entry, and with PKCE', async (name, resource) => {
  const linked = await link(name)

  expect(linked.status).toBe('linked')
  const [authorized] = servers[name].authorization.seen
  expect(authorized?.form).toMatchObject({ code_challenge_method: 'S256' })
  const sent = [authorized, ...tokenForms(servers[name])].map((seen) => seen?.form.resource)
  expect(new Set(sent)).toEqual(new Set([resource && servers[name].url]))
})

test('the client metadata document is public', async () => {
  const issuer = servers.documents.url.replace('/mcp', '/login')
  const key = issuerKey(issuer)
  const answer = await fetch(`${world.url}/oauth/clients/${key}`)

  const document = (await answer.json()) as { client_id: string }

  expect(document).toEqual({
    client_id: `${publicUrl}/oauth/clients/${key}`,
    client_name: 'connect.example',
    client_uri: publicUrl,
    redirect_uris: [`${publicUrl}/oauth/callback/mcp/${key}`],
    application_type: 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
  const [{ form } = { form: {} }] = servers.documents.authorization.seen
  expect(form).toMatchObject({
    client_id: document.client_id,
    redirect_uri: `${publicUrl}/oauth/callback/mcp/${key}`,
    scope: 'notes:read',
  })
})

test.each(['static', 'documents', 'documents/0123456789abcdef', '0123456789abcdef/more'])(
  'returns 404 for other documents: %s',
  async (id) => {
    expect((await fetch(`${world.url}/oauth/clients/${id}`)).status).toBe(404)
  },
)

test('a server that forgets its client during consent fails the link and states whose move it is', async () => {
  const minted = await world.mint({ integrationId: 'registers' })
  const visit = await world.consent(minted, browser())
  servers.registers.authorization.forgetClients()

  const { body } = await world.complete(minted, visit.query)

  expect(body).toMatchObject({ status: 'failed', cause: { code: 'client_forgotten', whoseMove: 'user' } })
})

test('links send only codes that the vendor issued', () => {
  const all = [...Object.values(servers), ...Object.values(flooding)]
  expect(all.map(({ authorization }) => authorization.unknownCodes)).toEqual(all.map(() => 0))
})

describe('a connection to such a server', () => {
  const onConnection = async (id: string, path: string, more: object = {}) =>
    (await world.api('POST', `/connections/${id}/${path}`, { reason: 'for the test', ...more })).body

  /** The account is unknown, so the tenant must complete the session. */
  async function relink(id: string) {
    const verifier = randomBytes(32).toString('base64url')
    const completionChallenge = createHash('sha256').update(verifier).digest('base64url')
    const session = await onConnection(id, 'relink-sessions', { returnUrl, completionChallenge })
    return finish({ ...session, verifier })
  }

  test.each([
    ['before the new grant is tried', () => servers.forgets.authorization.forgetClientsAfter(1)],
    [
      'before the function uses the new grant',
      () => {
        world.platform.listing = () => ({ code: 'client_rejected', text: 'Who is this?' })
      },
    ],
  ])('the re-link fails with a cause if the server forgets its client %s', async (_, forget) => {
    const { connection } = await link('forgets')
    const before = servers.forgets.authorization.registrations
    forget()

    const failed = await relink(connection.id)
    servers.forgets.authorization.forgetClientsAfter(Number.POSITIVE_INFINITY)
    world.platform.listing = undefined
    const again = await relink(connection.id)

    expect(failed).toMatchObject({ status: 'failed', cause: { code: 'client_forgotten', whoseMove: 'user' } })
    expect(again.status).toBe('linked')
    expect(servers.forgets.authorization.registrations).toBe(before + 1)
  })

  test('is healthy if the server lists its tools, and its re-link refreshes with the resource', async () => {
    const { connection } = await link('documents')
    const checked = await onConnection(connection.id, 'health-checks')

    const relinked = await relink(connection.id)

    expect([checked.outcome, relinked.status]).toEqual(['healthy', 'linked'])
    const refreshes = tokenForms(servers.documents).filter(({ form }) => form.grant_type === 'refresh_token')
    expect(refreshes.map(({ form }) => form.resource)).toEqual([servers.documents.url])
  })

  test('breaks if the server requires another scope, and states whose move it is', async () => {
    const { connection } = await link('documents')
    world.platform.listing = () => ({ code: 'insufficient_scope', text: 'More is needed.' })

    const checked = await onConnection(connection.id, 'health-checks')
    world.platform.listing = undefined

    expect(checked).toMatchObject({ outcome: 'broken', cause: { code: 'scope_insufficient', whoseMove: 'user' } })
  })

  test('is revoked at its issuer when it is disconnected', async () => {
    const { connection } = await link('static')
    const before = servers.static.authorization.liveGrants()

    await onConnection(connection.id, 'disconnect')

    await waitFor('the grant is revoked', async () => servers.static.authorization.liveGrants() < before)
  })
})

test('a first link to a server that the platform does not call waits for the operator with its grant', async () => {
  world.platform.listing = () => ({ code: 'address_blocked', text: 'It was not asked.' })

  const waiting = await link('documents')
  world.platform.listing = undefined
  const resumed = (await world.api('POST', `/links/${waiting.id}/resume`, { reason: 'allowed now' })).body

  expect(waiting).toMatchObject({
    status: 'needs_attention',
    cause: { code: 'address_blocked', whoseMove: 'operator' },
  })
  await waitFor('it is linked', async () => (await world.api('GET', `/links/${resumed.id}`)).body.status === 'linked')
})

test.each([
  ['grant is rejected by the server', 'grant_revoked', 'grant_unusable', 'user'],
  ['server redirects the platform', 'server_redirects', 'mcp_server_redirects', 'operator'],
] as const)('a first link whose %s fails and leaves nothing on the platform', async (_, met, code, whoseMove) => {
  world.platform.listing = () => ({ code: met, text: 'No.' })
  const before = world.platform.functions.size

  const ended = await link('documents')
  world.platform.listing = undefined

  expect(ended).toMatchObject({ status: 'failed', cause: { code, whoseMove } })
  expect(world.platform.functions.size).toBe(before)
})

describe('a gigabyte response', () => {
  let before = 0
  beforeEach(() => {
    before = process.memoryUsage().rss
  })
  afterEach(() => {
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })

  test.each([
    ['resource_metadata', 'mcp_metadata_unusable'],
    ['metadata', 'mcp_metadata_unusable'],
    ['register', 'mcp_metadata_unusable'],
  ] as const)('instead of a %s is not read, and the user is not redirected there', async (flood, cause) => {
    const minted = await world.mint({ integrationId: idOf(flood) })

    const page = await browser().post(minted.url)

    const { body: session } = await world.api('GET', `/connect-sessions/${minted.id}`)

    expect([page.status, session.status]).toEqual([502, 'open'])
    expect(session.cause).toMatchObject({ code: cause, whoseMove: 'provider' })
    expect((await world.audit('connect.rejected')).at(-1)?.facts).toMatchObject({ refusal: cause })
  })

  test('to the first request is not read beyond its headers', async () => {
    expect((await link(idOf('challenge'))).status).toBe('linked')
  })

  test('instead of a token is truncated and kept, because it may contain the grant', async () => {
    expect(await link(idOf('token'))).toMatchObject({ status: 'needs_attention', cause: { code: 'answer_unreadable' } })
  })
})

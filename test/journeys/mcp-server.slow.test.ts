// Both programs with a vendor's MCP server: linked by its address, called, revoked at the vendor, detected and re-linked.
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { listen } from '../../src/kit/http/http-server.ts'
import { heedGrantProblems } from '../../src/onboarding/connections/flows/heed-grant-problems.ts'
import { staticClient } from '../support/doubles/mcp-server/authorization-server.ts'
import {
  type McpServerDouble,
  type McpServerSwitches,
  startMcpServer,
} from '../support/doubles/mcp-server/mcp-server.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

const publicUrl = 'https://connect.example'

const setUps = {
  documents: { clients: 'document', age: 'stateless', challengeNames: true },
  registers: { clients: 'registration', age: 'sessions', rotates: true },
  static: { clients: 'static', age: 'sessions' },
  forgets: { clients: 'registration', age: 'stateless' },
} satisfies Record<string, McpServerSwitches>
type SetUp = keyof typeof setUps

let world: OnboardingWorld
let closePlatform: () => Promise<unknown>
let platformKey: string
const servers = {} as Record<SetUp, McpServerDouble>
const reach = (url: string) => url.replace(publicUrl, world.url)

beforeAll(async () => {
  for (const [name, switches] of Object.entries(setUps)) {
    servers[name as SetUp] = await startMcpServer({ ...switches, reach } as McpServerSwitches)
  }
  const secret = { clientId: staticClient.id, clientSecret: staticClient.secret }
  const integrations = Object.entries(servers).map(([id, server]) => ({
    ...server.entry(id),
    ...(id === 'static' && secret),
  }))
  const port = await freePort()
  const hosts = Object.values(servers).map(({ host }) => host)
  const env = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}`, MCP_EGRESS_ALLOW: hosts.join(',') }
  const platform = await platformWorld({ env, integrations })
  const listening = await listen(platform.app, { host: '127.0.0.1', port })
  platformKey = platform.admin.key
  closePlatform = async () => {
    await listening.close(0)
    await platform.close()
  }
  const file = join(temporaryFolder(), 'integrations.json')
  writeFileSync(file, JSON.stringify({ integrations }))
  world = await startOnboarding({
    egressAllow: hosts,
    env: {
      PUBLIC_URL: publicUrl,
      PLATFORM_URL: `${env.PUBLIC_URL}/v0`,
      PLATFORM_API_KEY: platform.admin.key,
      INTEGRATIONS_FILE: file,
    },
  })
})
afterAll(async () => {
  await world?.close()
  await closePlatform?.()
  await Promise.all(Object.values(servers).map((server) => server.close()))
})

async function link(integrationId: string) {
  const minted = await world.mint({ integrationId })
  const { query } = await world.consent(minted, new HttpBrowser({}, reach))
  return world.completeToTheEnd(minted, query)
}

/** As a tenant's agent. */
async function callTool(functionUrl: string): Promise<unknown> {
  const client = new Client({ name: 'agent', version: '1.0.0' })
  const headers = { Authorization: `Bearer ${platformKey}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${functionUrl}/mcp`), { requestInit: { headers } }))
  try {
    return await client.callTool({ name: 'list_notes', arguments: {} })
  } finally {
    await client.close()
  }
}

async function connected(name: SetUp) {
  const linked = await link(name)
  expect(linked.status).toBe('linked')
  return (await world.api('GET', `/connections/${linked.connection.id}`)).body
}

async function statusOf({ id }: { id: string }) {
  const { status, cause } = (await world.api('GET', `/connections/${id}`)).body
  return [status, cause?.code]
}

async function relink({ id }: { id: string }) {
  const verifier = randomBytes(32).toString('base64url')
  const completionChallenge = createHash('sha256').update(verifier).digest('base64url')
  const asked = { reason: 'test', returnUrl, completionChallenge }
  const { body: minted } = await world.api('POST', `/connections/${id}/relink-sessions`, asked)
  const { query } = await world.consent({ ...minted, verifier }, new HttpBrowser({}, reach))
  return world.completeToTheEnd({ ...minted, verifier }, query)
}

test.each(['documents', 'registers', 'static'] as const)(
  'a server with clients by %s is linked, called, and called again after its access tokens have expired',
  async (name) => {
    const { functionUrl } = await connected(name)

    const first = await callTool(functionUrl)
    servers[name].authorization.endAccessTokens()
    const second = await callTool(functionUrl)

    expect([first, second]).toEqual([first, first])
    expect(first).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
    expect(servers[name].calls).toHaveLength(2)
  },
)

test('a grant that the user revokes at the vendor is reported by the next check', async () => {
  const { id } = await connected('documents')
  servers.documents.authorization.revokeEverything()
  servers.documents.authorization.endAccessTokens()

  const check = async () => (await world.api('POST', `/connections/${id}/health-checks`, { reason: 'test' })).body
  // The tool list is cached for five seconds.
  const found = () => check().then(({ outcome, cause }) => [outcome, cause?.code])
  await expect.poll(found, { interval: 2_000 }).toEqual(['broken', 'grant_revoked'])
})

test('a failed tool call is reported to the tenant immediately, without a check', async () => {
  const [died, refused] = [await connected('registers'), await connected('documents')]
  servers.documents.neededScope = 'notes:write'
  servers.registers.authorization.revokeEverything()
  servers.registers.authorization.endAccessTokens()

  const met = [await callTool(died.functionUrl), await callTool(refused.functionUrl)]
  await heedGrantProblems(world.ports, world.settings)()

  expect(met).toMatchObject([
    { isError: true, _meta: { code: 'grant_revoked' } },
    { isError: true, _meta: { code: 'insufficient_scope', scope: 'notes:write' } },
  ])
  expect(await statusOf(died)).toEqual(['needs_relink', 'grant_revoked'])
  expect(await statusOf(refused)).toEqual(['needs_relink', 'scope_insufficient'])

  // A check that lists tools does not clear it; a re-link with more permissions does.
  await world.api('POST', `/connections/${refused.id}/health-checks`, { reason: 'test' })
  expect(await statusOf(refused)).toEqual(['needs_relink', 'scope_insufficient'])
  await relink(refused)
  expect(await callTool(refused.functionUrl)).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
  servers.documents.neededScope = undefined
  expect(await statusOf(refused)).toEqual(['active', undefined])
})

test('a call that lacks a permission is answered after the tenant’s product has re-linked with it', async () => {
  const { id, functionUrl } = await connected('documents')
  servers.documents.neededScope = 'notes:delete'
  const before = servers.documents.calls.length
  const client = new Client(
    { name: 'agent', version: '1.0.0' },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: 'auto' } },
  )
  const headers = { Authorization: `Bearer ${platformKey}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${functionUrl}/mcp`), { requestInit: { headers } }))
  const shown: string[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const page = await new HttpBrowser({}, reach).get('url' in params ? params.url : '')
    shown.push(page.url, page.text)
    await relink({ id })
    return { action: 'accept' }
  })

  const answered = await client.callTool({ name: 'list_notes', arguments: {} })
  await client.close()
  servers.documents.neededScope = undefined

  expect(shown).toEqual([`${publicUrl}/repair/${id}`, expect.stringContaining('Reconnect Notes to')])
  expect(answered).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
  expect(servers.documents.calls.length - before).toBe(1)
})

test('a vendor that forgets its clients is detected at the next call, and a re-link registers again immediately', async () => {
  const { authorization } = servers.forgets
  const [used, other] = [await connected('forgets'), await connected('forgets')]
  const heed = heedGrantProblems(world.ports, world.settings)
  const rounds = []
  for (let round = 0; round < 2; round++) {
    authorization.forgetClients()
    authorization.endAccessTokens()
    const met = await callTool(used.functionUrl)
    await heed()
    const noticed = await statusOf(used)
    const { status } = await relink(used)
    rounds.push([met, noticed, status, authorization.registrations])
  }
  await callTool(other.functionUrl)
  await heed()
  const third = await connected('forgets')

  const refused = { isError: true, _meta: { code: 'client_rejected' } }
  expect(rounds).toMatchObject([
    [refused, ['needs_relink', 'client_forgotten'], 'linked', 2],
    [refused, ['needs_relink', 'client_forgotten'], 'linked', 3],
  ])
  expect([await statusOf(other), await statusOf(used)]).toEqual([
    ['needs_relink', 'client_forgotten'],
    ['active', undefined],
  ])
  expect(third.status).toBe('active')
  expect(authorization.registrations).toBe(3)
  expect(authorization.unknownCodes).toBe(0)
})

// Each habit of providers that a profile can state, through both programs: linked, used, re-linked, disconnected. The
// provider refuses whatever is not sent as it wants.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { type HttpServer, listen } from '../../src/kit/http/http-server.ts'
import { type Quirks, type QuirkyProvider, quirkyClient, startQuirky } from '../support/doubles/quirky-provider.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'
import { type RelinkWorld, startRelinking } from '../support/worlds/relink-world.ts'

type Habit = {
  quirks: Quirks
  /** What its entry in the integrations file says of it. */
  entry: Record<string, unknown>
}

const names = { client_id: 'client_key', client_secret: 'app_secret', refresh_token: 'renewal_token' }

const habits: Record<string, Habit> = {
  'no-refresh-token': { quirks: { neverRefreshes: true }, entry: { grant: 'lasting_access', refreshTokens: 'never' } },
  exchange: {
    quirks: { exchanges: true },
    entry: {
      grant: 'exchange',
      refreshTokens: 'never',
      exchange: { grantType: 'lasting_token', tokenParameter: 'short_token' },
    },
  },
  'no-pkce': { quirks: { refusesPkce: true }, entry: { pkce: 'none' } },
  'json-request': {
    quirks: { json: true, wants: { audience: 'api' }, wantsHeader: ['api-version', '2026-01-01'] },
    entry: { tokenRequest: { format: 'json', extra: { audience: 'api' }, headers: { 'api-version': '2026-01-01' } } },
  },
  'refresh-elsewhere': { quirks: { refreshPath: '/renew' }, entry: { refresh: { url: '{url}/renew' } } },
  'revoked-by-bearer': {
    quirks: { neverRefreshes: true, revocation: 'bearer' },
    entry: { grant: 'lasting_access', refreshTokens: 'never', revocation: { style: 'bearer', url: '{url}/revoke' } },
  },
  'revoked-by-delete': {
    quirks: { revocation: 'delete' },
    entry: { revocation: { style: 'delete', url: `{url}/revoke/{client_id}` } },
  },
  'revoked-by-client': {
    quirks: { revocation: 'client_header' },
    entry: { revocation: { style: 'client_header', url: '{url}/revoke' } },
  },
  deauthorized: {
    quirks: { revocation: 'deauthorize' },
    entry: { revocation: { style: 'deauthorize', url: '{url}/revoke', parameter: 'user' } },
  },
  'scopes-on-app': { quirks: { scope: undefined }, entry: { scopesFrom: 'app', scopes: [] } },
  'user-scopes': {
    quirks: { scope: { name: 'user_scope', value: 'files.read,files.list' } },
    entry: {
      scopeSeparator: ',',
      scopes: [
        { name: 'files.read', user: true },
        { name: 'files.list', user: true },
      ],
    },
  },
  'own-names': {
    quirks: { names, codeParameter: 'auth_code' },
    entry: { parameterNames: names, codeParameter: 'auth_code' },
  },
  'nested-token': {
    quirks: {
      within: 'authed_user',
      answer: { access_token: 'CANARY-of-the-bot', refresh_token: 'CANARY-bot-refresh' },
    },
    entry: { tokenAnswer: { within: 'authed_user' } },
  },
  rotation: { quirks: { rotates: true }, entry: { rotation: 'single_use' } },
  'typed-value': {
    quirks: { under: '/of/acme' },
    entry: {
      inputs: { team: { label: 'Team', help: 'As in its address.', pattern: '[a-z]{2,20}', as: 'text' } },
      endpoints: { authorization: '{url}/of/{team}/authorize', token: '{url}/of/{team}/token' },
      revocation: { url: '{url}/of/{team}/revoke', reach: 'token' },
      tools: [toolAt('{url}/of/{team}/api/files')],
    },
  },
  'kept-from-answer': {
    quirks: { answer: { api: { base: 'v7' } }, apiUnder: '/v7' },
    entry: {
      keep: { fromAnswer: { base: { path: 'api.base', pattern: 'v[0-9]+', as: 'text' } } },
      tools: [toolAt('{url}/{base}/api/files')],
    },
  },
  'kept-from-callback': {
    quirks: { callback: { realmId: '4711' }, apiUnder: '/company/4711' },
    entry: {
      keep: { fromCallback: { realmId: { pattern: '[0-9]+', as: 'text' } } },
      account: { from: 'callback', id: 'realmId', label: 'realmId' },
      tools: [toolAt('{url}/company/{realmId}/api/files')],
    },
  },
  'api-header': { quirks: { apiHeader: ['api-version', '7'] }, entry: { api: { headers: { 'api-version': '7' } } } },
}

/** What the tenant says of the user. */
const inputsOf = (integrationId: string) => (integrationId === 'typed-value' ? { inputs: { team: 'acme' } } : {})

let platform: Awaited<ReturnType<typeof platformWorld>>
let server: HttpServer
let world: RelinkWorld
const providers = new Map<string, QuirkyProvider>()

beforeAll(async () => {
  for (const [id, { quirks }] of Object.entries(habits)) providers.set(id, await startQuirky(quirks))
  const integrations = Object.entries(habits).map(([id, { entry }]) => entryAt(id, providers.get(id)?.url ?? '', entry))
  const file = join(temporaryFolder(), 'integrations.json')
  writeFileSync(file, JSON.stringify({ integrations }))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  platform = await platformWorld({ env: { PUBLIC_URL: url, INTEGRATIONS_FILE: file } })
  server = await listen(platform.app, { host: '127.0.0.1', port })
  world = await startRelinking({
    egressAllow: [...providers.values()].map(({ host }) => host),
    env: { PLATFORM_URL: `${url}/v0`, PLATFORM_API_KEY: platform.admin.key, INTEGRATIONS_FILE: file },
  })
}, 120_000)

afterAll(async () => {
  await world.close()
  await server.close(0)
  await platform.close()
  await Promise.all([...providers.values()].map((provider) => provider.close()))
})

describe.each(Object.keys(habits))('%s', (integrationId) => {
  test('is linked, used, re-linked, used again and disconnected', async () => {
    const provider = providers.get(integrationId) as QuirkyProvider

    const id = await world.link({ integrationId, ...inputsOf(integrationId) })
    expect(await callTool(id)).toContain('plan.txt')
    const { link } = await world.relink(id)
    await waitFor('linked again', async () => (await world.api('GET', `/links/${link.id}`)).body.status === 'linked')
    expect(await callTool(id)).toContain('plan.txt')
    await world.api('POST', `/connections/${id}/disconnect`, { reason: 'over' })
    await waitFor('disconnected', async () => {
      await world.flows.resumeTasks()
      return (await world.connection(id)).status === 'disconnected'
    })

    expect(provider.seen.refusals).toEqual([])
    // Of a token that the platform has replaced we have no copy.
    if (integrationId !== 'rotation') expect(provider.seen.revocations).toBeGreaterThan(0)
  }, 60_000)

  test('a grant that ends is told from a fault', async () => {
    const id = await world.link({ integrationId, endUser: { id: 'user-2' }, ...inputsOf(integrationId) })
    await callTool(id)

    providers.get(integrationId)?.endGrants()

    expect(await callTool(id)).toContain('grant_revoked')
  }, 60_000)
})

test('an exchange that is refused ends the link, and nothing is left on the platform', async () => {
  const provider = providers.get('exchange') as QuirkyProvider
  provider.refuses.exchange = true
  const minted = await world.mint({ integrationId: 'exchange', endUser: { id: 'user-3' } })

  const body = await world.completeToTheEnd(minted, (await world.consent(minted)).query)

  expect(body).toMatchObject({ status: 'failed', cause: { code: 'grant_unusable' } })
  expect(
    (await world.sql.query('select count(*)::int as count from escrow where link_id = $1', [body.id])).rows,
  ).toEqual([{ count: 0 }])
  provider.refuses.exchange = false
})

function toolAt(url: string) {
  return {
    name: 'list_files',
    description: 'Lists files.',
    inputSchema: { type: 'object', properties: {} },
    request: { method: 'GET', url },
  }
}

const entryAt = (id: string, url: string, entry: Record<string, unknown>) => ({
  id,
  displayName: id,
  clientId: quirkyClient.id,
  clientSecret: quirkyClient.secret,
  endpoints: { authorization: `${url}/authorize`, token: `${url}/token` },
  account: { from: 'token_response', id: 'account', label: 'account' },
  scopes: [{ name: 'files.read' }],
  revocation: { url: `${url}/revoke`, reach: 'token' },
  apiHosts: [new URL(url).host],
  health: { tool: 'list_files' },
  tools: [toolAt(`${url}/api/files`)],
  ...JSON.parse(JSON.stringify(entry).replaceAll('{url}', url)),
})

async function callTool(connection: string): Promise<string> {
  const { functionUrl } = await world.connection(connection)
  const answer = await fetch(`${functionUrl}/mcp`, {
    method: 'POST',
    headers: {
      'X-Service-Authorization': `Bearer ${platform.admin.key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_files', arguments: {} },
    }),
  })
  return answer.text()
}

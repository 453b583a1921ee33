// Habits that the misbehaving provider of the demo lacks, through both programs. This one refuses whatever is not sent as
// it wants, to the letter.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { type HttpServer, listen } from '../../../src/kit/http/http-server.ts'
import { type Quirks, type QuirkyProvider, quirkyClient, startQuirky } from '../../support/doubles/quirky-provider.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

type Habit = {
  quirks: Quirks
  /** What its entry in the integrations file says of it. */
  entry: Record<string, unknown>
}

const names = { client_id: 'client_key', client_secret: 'app_secret', refresh_token: 'renewal_token' }

const habits: Record<string, Habit> = {
  'own-words': {
    quirks: {
      ...{ json: true, names, codeParameter: 'auth_code', wants: { audience: 'api' } },
      ...{ wantsHeader: ['api-version', '2026-01-01'], apiHeader: ['api-version', '7'] },
    },
    entry: {
      parameterNames: names,
      codeParameter: 'auth_code',
      tokenRequest: { format: 'json', extra: { audience: 'api' }, headers: { 'api-version': '2026-01-01' } },
      api: { headers: { 'api-version': '7' } },
    },
  },
  // The answer has tokens of an app beside those of the user, and a place of the API.
  'among-others': {
    quirks: {
      within: 'authed_user',
      answer: { access_token: 'CANARY-of-the-bot', refresh_token: 'CANARY-bot-refresh', api: { base: 'v7' } },
      apiUnder: '/v7',
      scope: { name: 'user_scope', value: 'files.read,files.list' },
    },
    entry: {
      tokenAnswer: { within: 'authed_user' },
      keep: { fromAnswer: { base: { path: 'api.base', pattern: 'v[0-9]+', as: 'text' } } },
      tools: [toolAt('{url}/{base}/api/files')],
      scopeSeparator: ',',
      scopes: [
        { name: 'files.read', user: true },
        { name: 'files.list', user: true },
      ],
    },
  },
  'account-in-callback': {
    quirks: { callback: { realmId: '4711' }, apiUnder: '/company/4711' },
    entry: {
      keep: { fromCallback: { realmId: { pattern: '[0-9]+', as: 'text' } } },
      account: { from: 'callback', id: 'realmId', label: 'realmId' },
      tools: [toolAt('{url}/company/{realmId}/api/files')],
    },
  },
  exchange: {
    quirks: { exchanges: true },
    entry: {
      grant: 'exchange',
      refreshTokens: 'never',
      exchange: { grantType: 'lasting_token', tokenParameter: 'short_token' },
    },
  },
}

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

test.each(Object.keys(habits))(
  '%s: it is linked and used, its end is told from a fault, and it is re-linked, used again and disconnected',
  async (integrationId) => {
    const provider = providers.get(integrationId) as QuirkyProvider

    const id = await world.link({ integrationId })
    expect(await callTool(id)).toContain('plan.txt')
    provider.endGrants()
    expect(await callTool(id)).toContain('grant_revoked')
    const { link } = await world.relink(id)
    await waitFor('linked again', async () => (await world.api('GET', `/links/${link.id}`)).body.status === 'linked')
    expect(await callTool(id)).toContain('plan.txt')
    await world.api('POST', `/connections/${id}/disconnect`, { reason: 'over' })
    await waitFor('disconnected', async () => {
      await world.flows.resumeTasks()
      return (await world.connection(id)).status === 'disconnected'
    })

    expect(provider.seen.refusals).toEqual([])
    expect(provider.seen.revocations).toBeGreaterThan(0)
  },
)

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

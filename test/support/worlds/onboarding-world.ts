// The onboarding program on real stores, with scripted provider and control plane.
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import pg from 'pg'
import { columnTypes } from '../../../src/kit/database/column-types.ts'
import { listen } from '../../../src/kit/http/http-server.ts'
import type { DeadlineOptions } from '../../../src/kit/http/unreadable.ts'
import { assemble, openWorld, type World } from '../../../src/onboarding/compose.ts'
import { type Config, readConfig } from '../../../src/onboarding/config.ts'
import type { AuditAction } from '../../../src/onboarding/domain/audit/audit-actions.ts'
import { unreadableRefusal } from '../../../src/onboarding/http/unreadable.ts'
import { startControlPlane } from '../doubles/control-plane.ts'
import { type ProviderDouble, providerClient, startProvider } from '../doubles/provider/provider.ts'
import { HttpBrowser, type Visit } from '../http/http-browser.ts'
import { send } from '../http/send.ts'
import { type Answer, documentedAnswers, expectDocumented } from '../oracles/documented-answers.ts'
import { waitFor } from '../oracles/wait-for.ts'
import { createRedisDatabase, createTestDatabase, temporaryFolder } from '../processes/stores.ts'

export type OnboardingWorld = Awaited<ReturnType<typeof startOnboarding>>

export const returnUrl = 'https://acme.example/integrations/return'

export type WorldOptions = {
  env?: Record<string, string>
  integration?: Record<string, unknown>
  egressAllow?: string[]
  provider?: ProviderDouble
  others?: Record<string, ProviderDouble>
  /** Replaces parts before assembly. */
  replace?(world: World, config: Config): Partial<World>
  observe?(req: IncomingMessage, res: ServerResponse): void
}

export async function startOnboarding(options: WorldOptions = {}) {
  const [redisUrl, databaseUrl, provider, platform] = await Promise.all([
    createRedisDatabase(),
    createTestDatabase('onboarding'),
    options.provider ?? startProvider(),
    startControlPlane(),
  ])
  // Listen first, because the program must know its URL.
  let handler: Parameters<typeof listen>[0] = () => {}
  let defectOf: DeadlineOptions['defectOf']
  const server = await listen(
    (req, res) => {
      options.observe?.(req, res)
      handler(req, res)
    },
    {
      host: '127.0.0.1',
      port: 0,
      refusal: unreadableRefusal,
      defectOf: (req) => defectOf?.(req),
    },
  )
  const publicUrl = `http://127.0.0.1:${server.port}`
  const env = onboardingEnv({
    publicUrl,
    redisUrl,
    databaseUrl,
    platformUrl: platform.url,
    ...options,
    provider,
  })
  const config = readConfig(env)
  const opened = openWorld(config)
  const world = { ...opened, ...options.replace?.(opened, config) }
  await world.prepare()
  const assembled = assemble(config, world)
  const serve = ({ app, unreadable }: Pick<typeof assembled, 'app' | 'unreadable'>) => {
    handler = app
    defectOf = unreadable.defectOf
  }
  serve(assembled)
  let closeWorld = world.close
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 2, types: columnTypes })
  const { key } = await world.apiKeys.create({ name: 'test', tenant: undefined }, { kind: 'operator' })
  const documented = expectDocumented(documentedAnswers(publicUrl, config))
  const api = apiClient(publicUrl, key.reveal(), documented)
  await api('PUT', '/tenants/acme', { workspace: 'acme', displayName: 'Acme', returnUrls: [returnUrl] })

  return {
    url: publicUrl,
    env,
    ...assembled,
    world,
    provider,
    platform,
    redis: { url: env.REDIS_URL },
    sql,
    api,
    apiAs: (otherKey: string, at = publicUrl) => apiClient(at, otherKey, documented),
    /** Throws if a response does not match /openapi.json. Responses to `api` are always checked. */
    documented,
    key: key.reveal(),
    async mint(more: SessionMembers = {}): Promise<MintedSession> {
      const verifier = randomBytes(32).toString('base64url')
      const completionChallenge = createHash('sha256').update(verifier).digest('base64url')
      const endUser = { id: 'user-1', email: 'user@acme.example' }
      // Tests of one world connect the same account again and again.
      const defaults = { tenantId: 'acme', integrationId: 'provider', ifConnected: 'add' }
      const body = { ...defaults, endUser, returnUrl, completionChallenge, ...more }
      const answer = await api('POST', '/connect-sessions', body)
      if (answer.status !== 201) throw new Error(`not minted: ${JSON.stringify(answer.body)}`)
      return { id: answer.body.id, url: answer.body.url, verifier }
    },
    async consent(minted: MintedSession, browser = new HttpBrowser()): Promise<ReturnVisit> {
      const started = await browser.post(minted.url)
      const visited = await browser.follow(started, 'https://acme.example')
      return { visited, browser, query: Object.fromEntries(new URL(visited.url).searchParams) }
    },
    async untilCallback(minted: MintedSession, browser = new HttpBrowser()): Promise<AtCallback> {
      const { url } = await browser.follow(await browser.post(minted.url), `${publicUrl}/oauth/callback`)
      return { url, browser, query: Object.fromEntries(new URL(url).searchParams) }
    },
    complete: (minted: MintedSession, query: Record<string, string>) =>
      api('POST', `/connect-sessions/${minted.id}/complete`, {
        completionCode: query.completion_code,
        completionVerifier: minted.verifier,
      }),
    /** Waits for the end, because the completion may respond earlier on a busy machine. */
    async completeToTheEnd(minted: MintedSession, query: Record<string, string>) {
      const { body } = await this.complete(minted, query)
      if (body.status !== 'pending') return body
      return waitFor('the link has ended', async () => {
        const { body: link } = await api('GET', `/links/${body.id}`)
        return link.status !== 'pending' && link
      })
    },
    async audit(action: AuditAction): Promise<AuditRow[]> {
      const { rows } = await sql.query('select * from audit where action = $1 order by id', [action])
      return rows
    },
    /** Restarts the process on the same URL and stores. */
    async restart(more: Record<string, string>): Promise<typeof opened> {
      await closeWorld()
      const next = readConfig({ ...env, ...more })
      const reopened = openWorld(next)
      closeWorld = reopened.close
      await reopened.prepare()
      serve(assemble(next, reopened))
      return reopened
    },
    async close() {
      await server.close(0)
      await sql.end()
      await closeWorld()
      await Promise.all([provider.close(), platform.close()])
    },
  }
}

/** May contain invalid members. */
export type SessionMembers = Partial<
  Record<
    | 'tenantId'
    | 'integrationId'
    | 'integrationIds'
    | 'endUser'
    | 'returnUrl'
    | 'completionChallenge'
    | 'ifConnected'
    | 'locale'
    | 'ttlSeconds'
    | 'inputs'
    | 'alias'
    | 'labels'
    | 'scopes'
    | 'testOutcome',
    unknown
  >
>

export type MintedSession = { id: string; url: string; verifier: string }
type AtCallback = { url: string; browser: HttpBrowser; query: Record<string, string> }
type ReturnVisit = { visited: Visit; browser: HttpBrowser; query: Record<string, string> }

type EnvironmentOf = WorldOptions & {
  publicUrl: string
  redisUrl: string
  databaseUrl: string
  platformUrl: string
  provider: ProviderDouble
}

export function onboardingEnv({
  publicUrl,
  redisUrl,
  databaseUrl,
  platformUrl,
  provider,
  env,
  integration,
  others = {},
  egressAllow = [],
}: EnvironmentOf) {
  const file = join(temporaryFolder(), 'integrations.json')
  const further = Object.entries(others).map(([id, other]) => ({ ...providerEntry(other), id }))
  writeFileSync(file, JSON.stringify({ integrations: [{ ...providerEntry(provider), ...integration }, ...further] }))
  return {
    PORT: '0',
    PUBLIC_URL: publicUrl,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64url')}`,
    SIGNING_KEY: randomBytes(32).toString('base64url'),
    PLATFORM_URL: `${platformUrl}/v0`,
    PLATFORM_API_KEY: 'CANARY-PLATFORM-KEY',
    INTEGRATIONS_FILE: file,
    EGRESS_ALLOW: [...[provider, ...Object.values(others)].map(({ host }) => host), ...egressAllow].join(),
    WEBHOOK_EGRESS_ALLOW: egressAllow.join(),
    RATE_API_PER_MINUTE: '100000',
    RATE_MINT_PER_MINUTE: '100000',
    RATE_BROWSER_PER_MINUTE: '100000',
    LOG_LEVEL: 'silent',
    ...env,
  }
}

export const providerEntry = (provider: { url: string }) => ({
  id: 'provider',
  displayName: 'Provider',
  issuer: provider.url,
  clientId: providerClient.id,
  clientSecret: providerClient.secret,
  revocation: { reach: 'token' },
  scopes: [{ name: 'openid' }, { name: 'email' }, { name: 'files.read', description: 'See your files' }],
})

export function apiClient(base: string, key: string, documented: (answer: Answer) => Promise<void> = async () => {}) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const { status, ...received } = await send(`${base}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const isJson = received.headers.get('content-type')?.includes('json')
    await documented({ method, path, status, ...received })
    return { status, headers: received.headers, body: isJson ? JSON.parse(received.text) : received.text || undefined }
  }
}

type AuditRow = {
  action: AuditAction
  subject_id: string | null
  facts: Record<string, unknown>
  reason: string | null
  link: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

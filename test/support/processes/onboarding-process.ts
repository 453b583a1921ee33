// The onboarding program in separate processes on the same stores, which can be killed, frozen and stopped. A cutting
// proxy is in front of the program and of each store.
import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import pg from 'pg'
import { columnTypes } from '../../../src/kit/database/column-types.ts'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { openWorld } from '../../../src/onboarding/compose.ts'
import { readConfig } from '../../../src/onboarding/config.ts'
import type { KeyPurpose } from '../../../src/onboarding/domain/api-key.ts'
import { startControlPlane } from '../doubles/control-plane.ts'
import { startCuttingProxy } from '../doubles/cutting-proxy.ts'
import { startProvider } from '../doubles/provider/provider.ts'
import { waitFor } from '../oracles/wait-for.ts'
import {
  apiClient,
  type MintedSession,
  onboardingEnv,
  returnUrl,
  type SessionMembers,
  type WorldOptions,
} from '../worlds/onboarding-world.ts'
import { bundled } from './bundled-programs.ts'
import { type KillablePostgres, startKillableRedis, watching } from './killable-stores.ts'
import { createTestDatabase } from './stores.ts'

export type Fleet = Awaited<ReturnType<typeof startFleet>>

type FleetOptions = Pick<WorldOptions, 'env' | 'integration' | 'egressAllow'> & {
  /** Settings of the fleet's Redis. */
  redis?: Record<string, string>
  /** A PostgreSQL that the test may kill, instead of a database on the shared one. It is stopped with the fleet. */
  postgres?: Pick<KillablePostgres, 'url' | 'stop'>
}

/** Doubles, stores, proxies and an API key. Processes are started separately. */
export async function startFleet(options: FleetOptions = {}) {
  const { postgres } = options
  const [redis, provider, platform] = await Promise.all([
    startKillableRedis(options.redis),
    startProvider(),
    startControlPlane(),
  ])
  const databaseUrl = postgres?.url ?? (await createTestDatabase('onboarding'))
  const [front, redisLine, databaseLine, platformLine] = await Promise.all([
    startCuttingProxy(),
    startCuttingProxy(redis.port),
    startCuttingProxy(Number(new URL(databaseUrl).port)),
    startCuttingProxy(Number(new URL(platform.url).port)),
  ])
  const env = onboardingEnv({
    publicUrl: front.url,
    redisUrl: through(redis.url, redisLine.port),
    databaseUrl: through(databaseUrl, databaseLine.port),
    platformUrl: platformLine.url,
    provider,
    ...options,
    // A lease that expires while the machine stalls would lose a link, and a code in progress would count as lost.
    env: {
      PLATFORM_FUNCTION_ORIGINS: platform.url,
      HOST: '127.0.0.1',
      SWEEP_SECONDS: '1',
      DRAIN_SECONDS: '0',
      LEASE_SECONDS: '20',
      LOG_LEVEL: 'trace',
      ...options.env,
    },
  })
  const key = await createKey(env)
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 2, types: columnTypes, application_name: watching })
  sql.on('error', () => {}) // the server may be killed
  const processes: OnboardingProcess[] = []
  const codes = new Map<string, string>()
  const api = apiClient(front.url, key)

  const start = async (more: Record<string, string> = {}): Promise<OnboardingProcess> => {
    const started = await launch({ ...env, ...more })
    processes.push(started)
    return started
  }

  const startReady = async (more: Record<string, string>): Promise<OnboardingProcess> => {
    const started = await start(more)
    const problem = await started.ready.then(
      () => undefined,
      (error: Error) => error,
    )
    if (!problem) return started
    if (portWasTaken(started)) return startReady(more)
    throw problem
  }

  return {
    ...{ env, key, front, redisLine, databaseLine, platformLine, redis, provider, platform, sql, api },
    url: front.url,
    /** Connect session by authorization code. */
    codes,
    processes,
    /** Starts a process without waiting until it is ready. */
    launch: start,
    /** Starts a process, waits until it is ready, and routes browsers and servers to it. */
    async start(more: Record<string, string> = {}): Promise<OnboardingProcess> {
      const started = await startReady(more)
      front.toward(...processes.filter(({ running }) => running()).map(({ port }) => port))
      return started
    },
    putTenant: (id: string) =>
      api('PUT', `/tenants/${id}`, { workspace: id, displayName: id, returnUrls: [returnUrl] }),
    /** The response of creating a session, with the tenant's verifier. */
    async tryMint(more: SessionMembers = {}, at = front.url) {
      const verifier = randomBytes(32).toString('base64url')
      const completionChallenge = createHash('sha256').update(verifier).digest('base64url')
      const endUser = { id: 'user-1', email: 'user@acme.example' }
      const defaults = { tenantId: 'acme', integrationId: 'provider', ifConnected: 'add' }
      const body = { ...defaults, endUser, returnUrl, completionChallenge, ...more }
      const answer = await apiClient(at, key)('POST', '/connect-sessions', body)
      return { ...answer, minted: { id: answer.body.id, url: answer.body.url, verifier } satisfies MintedSession }
    },
    complete: (minted: MintedSession, completionCode: string) =>
      api('POST', `/connect-sessions/${minted.id}/complete`, { completionCode, completionVerifier: minted.verifier }),
    linkOf: (minted: Pick<MintedSession, 'id'>) => findLink(sql, minted.id),
    logs: () => processes.map(({ output }) => output()).join('\n'),
    async close() {
      for (const each of processes) await each.kill()
      await sql.end()
      for (const line of [front, redisLine, databaseLine, platformLine]) line.close()
      await Promise.all([redis.stop(), postgres?.stop(), provider.close(), platform.close()])
    },
  }
}

/** Another process may have taken the free port. */
export const portWasTaken = ({ output }: Pick<OnboardingProcess, 'output'>) => /port \d+ on \S+ is taken/.test(output())

export type OnboardingProcess = Awaited<ReturnType<typeof launch>>

async function launch(env: Record<string, string>) {
  const port = Number(env.PORT) || (await freePort())
  const child = fork(bundled(env.CRASH_AT ? 'onboarding/crashing' : 'onboarding/main'), {
    env: { PATH: process.env.PATH, ...env, PORT: String(port) },
    execArgv: [], // the bundles were compiled without the worker's flags
    silent: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  let over = false
  const exited = once(child, 'exit').then(() => {
    over = true
  })
  // Not 'exit': the last output may still be in the pipe.
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  const ready = Promise.race([
    once(child, 'message').then(() => {}),
    ended.then(() => Promise.reject(new Error(`the process ended before it was ready: ${output}`))),
  ])
  ready.catch(() => {})
  const signal = (name: NodeJS.Signals) => over || process.kill(child.pid as number, name)
  return {
    pid: child.pid as number,
    port,
    url: `http://127.0.0.1:${port}`,
    ready,
    ended,
    output: () => output,
    running: () => !over,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    /** Sends SIGTERM, so work in progress may finish. */
    async stop() {
      signal('SIGTERM')
      return ended
    },
    async kill() {
      signal('SIGKILL')
      await exited
      closePipes(child)
      await ended
    },
  }
}

const closePipes = (child: ChildProcess) => {
  child.stdout?.destroy()
  child.stderr?.destroy()
}

function through(address: string, port: number): string {
  const url = new URL(address)
  url.port = String(port)
  return url.href
}

/** As the operator's command does. */
export async function createKey(env: NodeJS.ProcessEnv, purpose?: KeyPurpose): Promise<string> {
  const world = openWorld(readConfig(env))
  try {
    await world.prepareLedger()
    const operator = { kind: 'operator' } as const
    return (await world.apiKeys.create({ name: 'test', tenant: undefined, purpose }, operator)).key.reveal()
  } finally {
    await world.close()
  }
}

export type LinkRow = {
  id: string
  session_id: string
  tenant: string
  workspace: string
  state: string
  cause: string | null
  attempts: number
  fence: number
  due_at: Date | null
  connection_id: string
}

async function findLink(sql: pg.Pool, sessionId: string): Promise<LinkRow | undefined> {
  const { rows } = await sql.query('select * from links where session_id = $1', [sessionId])
  return rows[0]
}

/** Waits until the link of a session is in one of these states. */
export const untilLink = (
  fleet: Pick<Fleet, 'linkOf'>,
  minted: Pick<MintedSession, 'id'>,
  states: string[],
  withinMs?: number,
) =>
  waitFor(
    `link in ${states.join(' or ')}`,
    async () => {
      const link = await fleet.linkOf(minted)
      return link && states.includes(link.state) ? link : undefined
    },
    withinMs === undefined ? {} : { withinMs },
  )

// The real program from dist/ with its stores, a tenant, a key and enough connect sessions.
import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { migrate } from '../../src/kit/database/migrations.ts'
import { openPool } from '../../src/kit/database/pool.ts'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { migrations } from '../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { fillLedger } from '../support/ledger.ts'
import { startMeasured } from '../support/measured-process.ts'
import type { LinkRequests } from './load.ts'

export type OursNeeds = {
  stubUrl: string
  redisUrl: string
  databaseUrl: string
  folder: string
  /** Total connect sessions. */
  sessions: number
  /** Connections already in the ledger. */
  stored: number
  /** Overrides of the settings of the benchmark. */
  env?: Record<string, string>
  /** The folder that contains `dist/`. Default: this checkout. */
  checkout?: string | undefined
}

const thisCheckout = fileURLToPath(new URL('../../..', import.meta.url))

/** `PROFILE=<folder> npm run bench:link` writes a CPU profile of the program there. */
const profileFlags = process.env.PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.PROFILE}`] : []

const returnUrl = 'https://acme.example/return'

export async function prepareOurs(needs: OursNeeds) {
  const { stubUrl, redisUrl, databaseUrl, folder, sessions, stored } = needs
  if (stored > 0) await fill(databaseUrl, stored)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: origin,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
    SIGNING_KEY: randomBytes(32).toString('base64url'),
    PLATFORM_URL: `${stubUrl}/v0`,
    PLATFORM_API_KEY: 'bench',
    INTEGRATIONS_FILE: integrationsFile(folder, stubUrl),
    CONNECT_COMPLETION: 'optional',
    VERIFY_FUNCTIONS: 'false',
    RATE_API_PER_MINUTE: '100000000',
    RATE_MINT_PER_MINUTE: '1000000000',
    RATE_BROWSER_PER_MINUTE: '1000000000',
    EGRESS_ALLOW: new URL(stubUrl).host,
    LOG_LEVEL: 'info',
    ...needs.env,
  }
  const program = (file: string) => resolve(needs.checkout ?? thisCheckout, 'dist/onboarding', file)
  const starts = await minted(program, env, origin, sessions)
  const process_ = await startMeasured(program('main.js'), env, profileFlags)
  const requests = async (count: number): Promise<LinkRequests> => {
    const taken = starts.splice(0, count)
    await showPages(origin, taken)
    return { origin, starts: taken, callbackPath: '/oauth/callback/stub' }
  }
  return { process: process_, requests }
}

/**
 * Mints sessions in advance, in another process. The other candidates have no sessions, and collecting the garbage of
 * minting would count as time of the links.
 */
async function minted(
  program: (file: string) => string,
  env: Record<string, string>,
  origin: string,
  count: number,
): Promise<string[]> {
  const process_ = await startMeasured(program('main.js'), env)
  const created = execFileSync(process.execPath, [program('cli.js'), 'keys', 'create', '--name', 'bench'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  const { key } = JSON.parse(created)
  const api = apiOf(origin, key)
  await api('PUT', '/tenants/acme', { workspace: 'acme', displayName: 'Acme', returnUrls: [returnUrl] })

  const starts: string[] = []
  const mint = async () => {
    while (starts.length < count) {
      const endUser = { id: randomUUID() }
      const body = { tenantId: 'acme', integrationId: 'stub', endUser, returnUrl, ttlSeconds: 1_800 }
      const { url } = await api('POST', '/connect-sessions', body)
      starts.push(new URL(url as string).pathname)
    }
  }
  await Promise.all(Array.from({ length: 8 }, mint))
  await process_.stop()
  return starts.slice(0, count)
}

/** Not measured: the other candidates have no page that a user confirms. */
async function showPages(origin: string, paths: readonly string[]): Promise<void> {
  const pool = new Pool(origin, { connections: 8 })
  const queue = [...paths]
  const browser = async () => {
    for (let path = queue.pop(); path; path = queue.pop()) {
      await (await pool.request({ method: 'GET', path })).body.dump()
    }
  }
  await Promise.all(Array.from({ length: 8 }, browser))
  await pool.close()
}

async function fill(databaseUrl: string, connections: number): Promise<void> {
  const pool = openPool(databaseUrl, { connections: 1, statementTimeoutMs: 3_600_000 })
  await migrate(pool, migrations)
  await fillLedger(pool, connections)
  await pool.end()
}

function integrationsFile(folder: string, stubUrl: string): string {
  const file = join(folder, 'integrations.json')
  const endpoints = { authorization: `${stubUrl}/authorize`, token: `${stubUrl}/token` }
  const stub = {
    id: 'stub',
    displayName: 'Stub',
    endpoints,
    clientId: 'c',
    clientSecret: 's',
    account: { from: 'none' },
  }
  writeFileSync(file, JSON.stringify({ integrations: [{ ...stub, scopes: [{ name: 'files.read' }] }] }))
  return file
}

function apiOf(origin: string, key: string) {
  const pool = new Pool(origin, { connections: 8 })
  return async (method: 'PUT' | 'POST', path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await pool.request({ method, path: `/api/v1${path}`, headers, body: JSON.stringify(body) })
    return (await answer.body.json()) as Record<string, unknown>
  }
}

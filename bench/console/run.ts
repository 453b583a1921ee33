// `npm run bench:console [-- --connections 1000000]`: measures search, overview and lists of the support console.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { startRedis } from '../../src/kit/embedded/redis.ts'
import { consoleClient, people, startConsoleIssuer } from '../../test/support/doubles/console-issuer.ts'
import { HttpBrowser } from '../../test/support/http/http-browser.ts'
import { inTurns } from '../support/in-turns.ts'
import { startMeasured } from '../support/measured-process.ts'
import { percentiles } from '../support/percentiles.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { largeLedger } from './ledger.ts'

type Line = { what: string; measured: string; bar: string; holds: boolean }

const { values } = parseArgs({
  options: { connections: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '100' } },
})
const connections = Number(values.connections)
const rounds = Number(values.rounds)
const folder = temporaryFolder()

const startedAt = performance.now()
process.stdout.write(`building ${connections} connections, their links and their record …\n`)
const ledger = await largeLedger(folder, connections)
process.stdout.write(`built in ${Math.round((performance.now() - startedAt) / 1_000)} s\n`)
const redis = await startRedis({ folder: join(folder, 'redis') })
const issuer = await startConsoleIssuer()
try {
  report(await measure())
} finally {
  await Promise.all([issuer.close(), redis.stop(), ledger.stop()])
}

async function measure(): Promise<Line[]> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = await startMeasured(fileURLToPath(new URL('../../../dist/onboarding/main.js', import.meta.url)), {
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: url,
    DATABASE_URL: ledger.url,
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
    SIGNING_KEY: randomBytes(32).toString('base64url'),
    PLATFORM_URL: 'http://127.0.0.1:9/v0',
    PLATFORM_API_KEY: 'bench',
    CONSOLE_ISSUER: issuer.url,
    CONSOLE_CLIENT_ID: consoleClient.id,
    CONSOLE_CLIENT_SECRET: consoleClient.secret,
    INTEGRATIONS_FILE: integrationsFile(),
    LOG_LEVEL: 'error',
  })
  const pool = new Pool(url, { connections: 2 })
  const cookie = await signIn(url)
  // A search with one result leads to its page, which counts as well.
  const open = async (path: string): Promise<string> => {
    const answer = await pool.request({ method: 'GET', path: `/support${path}`, headers: { cookie } })
    const { statusCode, headers, body } = answer
    const text = await body.text()
    if (statusCode === 303) return open(String(headers.location).replace(/^.*?\/support/, ''))
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
    return text
  }
  try {
    return [
      ...(await searches(open)),
      await overview(open),
      ...(await pages(open)),
      ...(await filters(open)),
      ...(await lists(open)),
    ]
  } finally {
    await pool.close()
    await program.stop()
  }
}

async function signIn(url: string): Promise<string> {
  issuer.person = people.viewer
  const browser = new HttpBrowser()
  await browser.follow(await browser.get(`${url}/support/sign-in/start`))
  return browser.cookiesFor(`${url}/support`)
}

type Open = (path: string) => Promise<string>

async function searches(open: Open): Promise<Line[]> {
  const { rows } = await ledger.pool.query(
    `select connections.*, links.id as link, links.end_user ->> 'email' as email,
       'req_' || substr(substr(links.id, 5), 10, 12) as request
     from connections join links on links.connection_id = connections.id
     where connections.id > (select id from connections order by id offset $1 limit 1) order by connections.id limit 200`,
    [Math.floor(connections / 3)],
  )
  const some = (pick: (row: Record<string, string>) => string) => (round: number) =>
    pick(rows[Math.abs(round) % rows.length])
  const kinds: Array<[string, (round: number) => string]> = [
    ['a connection by its name', some(({ name = '' }) => name)],
    ['by the beginning of a name that a fifth have', () => 'gmail'],
    ['one letter', () => 'g'],
    ['an upstream account', some(({ account_label = '' }) => account_label)],
    ['an email address', some(({ email = '' }) => email)],
    ['the beginning of all email addresses', () => 'person'],
    ['an end user', some(({ end_user_id = '' }) => end_user_id)],
    ['a tenant', some(({ tenant = '' }) => tenant)],
    ['the beginning of all tenants', () => 'tenan'],
    ['a workspace', some(({ workspace = '' }) => workspace)],
    ['the beginning of all workspaces', () => 'spa'],
    ['an account’s own id', some(({ account_id = '' }) => account_id)],
    ['a link', some(({ link = '' }) => link)],
    ['a trace', () => '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['a request', some(({ request = '' }) => request)],
    ['nothing there is', () => 'zzzz-not-there'],
  ]
  const lines = []
  for (const [what, textOf] of kinds) {
    const times = await timed((round) => open(`/search?q=${encodeURIComponent(textOf(round))}`))
    lines.push(line(`search: ${what}`, times))
  }
  return lines
}

async function overview(open: Open): Promise<Line> {
  const since = "select count(*) as count from links where created_at > now() - interval '14 days'"
  const { rows } = await ledger.pool.query(since)
  return line(`overview (${rows[0].count} links in its 14 days)`, await timed(() => open('/'), rounds))
}

/** Pages without a search: those of a tenant and of an integration, and filters that match few or no rows. */
async function pages(open: Open): Promise<Line[]> {
  await ledger.pool.query(
    `insert into health_days (integration, day, outcome, checks)
     select 'gmail', date_trunc('day', now() - make_interval(days => day), 'UTC'), outcome, 10000
     from generate_series(0, 29) as day, unnest(array['healthy', 'broken', 'untested']) as outcome`,
  )
  const { rows } = await ledger.pool.query(
    `select connections.id, connections.tenant, links.id as link
     from connections join links on links.connection_id = connections.id order by connections.id limit 200`,
  )
  const some = (pathOf: (row: Record<string, string>) => string) => (round: number) =>
    pathOf(rows[Math.abs(round) % rows.length])
  const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  const kinds: Array<[string, (round: number) => string]> = [
    ['tenants', () => '/tenants'],
    ['a tenant', some(({ tenant }) => `/tenants/${tenant}`)],
    ['branding of a tenant', some(({ tenant }) => `/tenants/${tenant}/branding`)],
    ['API keys of a tenant', some(({ tenant }) => `/keys?tenant=${tenant}`)],
    ['webhooks of a tenant', some(({ tenant }) => `/webhooks?tenant=${tenant}`)],
    ['a connection', some(({ id }) => `/connections/${id}`)],
    ['a link', some(({ link }) => `/links/${link}`)],
    ['integrations', () => '/doctor'],
    ['an integration with its health', () => '/doctor/gmail'],
    ['connections of a tenant', some(({ tenant }) => `/connections?tenant=${tenant}`)],
    ['broken connections of an integration', () => '/connections?integration=gmail&status=needs_relink'],
    [
      'connections of an integration in a week',
      () => `/connections?integration=slack&from=${dayAgo(200)}&to=${dayAgo(194)}`,
    ],
    ['connections with a cause that none has', () => '/connections?cause=account_mismatch'],
    ['connections whose grant ends soon', () => '/connections?health=ending'],
    [
      'links of a tenant in a month',
      some(({ tenant }) => `/links?tenant=${tenant}&from=${dayAgo(60)}&to=${dayAgo(30)}`),
    ],
    ['failed links of a tenant', some(({ tenant }) => `/links?tenant=${tenant}&state=failed`)],
    ['links with a cause that none has', () => '/links?cause=account_mismatch'],
    ['audit log of a tenant', some(({ tenant }) => `/audit?tenant=${tenant}`)],
    ['audit log: an action that nobody took', () => '/audit?action=tenant.suspended'],
    [
      'audit log of a tenant in a week',
      some(({ tenant }) => `/audit?tenant=${tenant}&from=${dayAgo(200)}&to=${dayAgo(194)}`),
    ],
    ['campaigns', () => '/campaigns'],
    ['erasures', () => '/erasures'],
  ]
  const lines = []
  for (const [what, pathOf] of kinds) lines.push(line(what, await timed((round) => open(pathOf(round)))))
  return lines
}

function integrationsFile(): string {
  const file = join(folder, 'integrations.json')
  const client = { clientId: 'bench', clientSecret: 'bench' }
  writeFileSync(
    file,
    JSON.stringify({
      integrations: [
        { profile: 'gmail', ...client },
        { profile: 'slack', ...client },
      ],
    }),
  )
  return file
}

/** The filter by integration, also combined with others. A filter without matches must not scan all links. */
async function filters(open: Open): Promise<Line[]> {
  const paths = [
    '/links?integration=slack',
    '/links?integration=slack&state=needs_attention',
    '/links?integration=slack&tenant=tenant-17',
    '/links?integration=not-there',
    '/connections?integration=not-there',
  ]
  const lines = []
  for (const path of paths) lines.push(line(path, await timed(() => open(path))))
  return lines
}

async function lists(open: Open): Promise<Line[]> {
  const pages: Array<[string, string, string]> = [
    ['connections', '/connections?', 'select id from connections order by id desc offset $1 limit 1'],
    ['links', '/links?', 'select id from links order by id desc offset $1 limit 1'],
    ['audit', '/audit?', 'select id from audit order by id desc offset $1 limit 1'],
    ...sorted('connections', { app: 'integration', tenant: 'tenant', state: 'status' }),
    ...sorted('links', { app: 'integration', tenant: 'tenant', person: 'lower(end_user ->> \'id\') collate "C"' }),
  ]
  const lines = []
  for (const [what, path, query] of pages) {
    const deep = Math.min(10_000, Math.floor(connections / 50) - 1)
    const { rows } = await ledger.pool.query(query, [deep * 50])
    const [one, far] = await inTurns(rounds, [
      () => open(path),
      () => open(`${path}cursor=${encodeURIComponent(rows[0].id)}`),
    ])
    const factor = (far?.p50 ?? 0) / (one?.p50 ?? 1)
    lines.push({
      what: `${what}: page ${deep} against page 1`,
      measured: `p50 ${one?.p50.toFixed(1)} ms, then ${far?.p50.toFixed(1)} ms, factor ${factor.toFixed(2)}`,
      bar: 'factor at most 2',
      holds: factor <= 2,
    })
  }
  return lines
}

function sorted(list: string, keys: Readonly<Record<string, string>>): Array<[string, string, string]> {
  return Object.entries(keys).map(([order, key]) => [
    `${list} by ${order}`,
    `/${list}?order=${order}&`,
    `select id || '~' || ${key} as id from ${list} order by ${key}, ${list}.id offset $1 limit 1`,
  ])
}

async function timed(call: (round: number) => Promise<unknown>, count = rounds) {
  const times: number[] = []
  for (let round = -5; round < count; round++) {
    const startedAt = performance.now()
    await call(round)
    if (round >= 0) times.push(performance.now() - startedAt)
  }
  return percentiles(times)
}

function line(what: string, { p50, p95 }: { p50: number; p95: number }): Line {
  return {
    what,
    measured: `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
    bar: 'p95 under 100 ms',
    holds: p95 < 100,
  }
}

function report(lines: readonly Line[]): void {
  for (const { what, measured, bar, holds } of lines) {
    process.stdout.write(`${what.padEnd(56)} ${measured}  ${holds ? 'holds' : 'MISSED'} (${bar})\n`)
  }
  if (lines.some(({ holds }) => !holds)) process.exitCode = 1
}

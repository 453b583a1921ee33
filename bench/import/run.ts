// `npm run bench:import [-- --rows 100000 --at-once 32 --kills 2 --no-verify]`: adds rows by API while one process works on
// them and is killed. Half of the grants rotate. `PROFILE=<folder>` writes a CPU profile there; use it with `--kills 0`,
// because a killed process writes none. `--statements` lists the most expensive statements.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { costliestStatements, countStatements, startStores } from '../link/stores.ts'
import { cpuSecondsOfTree, type MeasuredProcess, startMeasured } from '../support/measured-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { check, type RowCounts, type StubReport } from './check.ts'

const { values } = parseArgs({
  allowNegative: true,
  options: {
    rows: { type: 'string', default: '100000' },
    'at-once': { type: 'string', default: '32' },
    kills: { type: 'string', default: '2' },
    statements: { type: 'boolean', default: false },
    verify: { type: 'boolean', default: true },
  },
})
const rows = Number(values.rows)
const atOnce = Number(values['at-once'])
const kills = Number(values.kills)
const maxMs = 60 * 60_000

const folder = temporaryFolder()
const stores = await startStores(folder, { statements: values.statements })
const stub = await startMeasured(fileURLToPath(new URL('./stub.js', import.meta.url)), {})
const stubUrl = `http://127.0.0.1:${stub.port}`
const program = (file: string) => fileURLToPath(new URL(`../../../dist/onboarding/${file}`, import.meta.url))
const port = await freePort()
const env = settings()
const key = createKey()
const memoryMb: number[] = []
const cpu = { ended: 0 }
let ours = await start()
if (values.statements) await countStatements(stores.asking)

try {
  await api('PUT', '/tenants/acme', { workspace: 'acme', displayName: 'Acme', returnUrls: ['https://acme.example/'] })
  const { id } = await api('POST', '/imports', { tenantId: 'acme', name: 'bench' })
  const from = performance.now()
  const feeding = feed(id)
  const progress = await killUntilDone(id, from)
  await feeding
  const seconds = (performance.now() - from) / 1_000
  const reasons = progress.reasons as Array<{ code: string; rows: number }>
  const unknown = reasons.find(({ code }) => code === 'exchange_unknown')?.rows ?? 0
  const told = (await (await fetch(`${stubUrl}/report`)).json()) as StubReport
  const counts = progress.counts as RowCounts
  const verdicts = check({ rows, counts, unknown, stub: told, rowsPerSecond: rows / seconds, memoryMb, kills, atOnce })
  say(`${rows} rows in ${seconds.toFixed(0)} s, ${(rows / seconds).toFixed(0)} a second, restarts included`)
  const used = cpu.ended + ours.cpuSeconds()
  const database = cpuSecondsOfTree(stores.postgres.process.child.pid as number)
  say(
    `CPU a row: ${((used * 1_000) / rows).toFixed(2)} ms here, ${((database * 1_000) / rows).toFixed(2)} ms PostgreSQL`,
  )
  say(`memory: ${Math.max(...memoryMb).toFixed(0)} MB at most; platform: ${JSON.stringify(told)}`)
  if (values.statements) console.table(await costliestStatements(stores.asking, rows))
  for (const { what, holds } of verdicts) say(`${holds ? 'holds ' : 'MISSED'} ${what}`)
  if (verdicts.some(({ holds }) => !holds)) process.exitCode = 1
} finally {
  await ours.stop()
  await stub.stop()
  await stores.stop()
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function settings(): Record<string, string> {
  const integration = (id: string, rotation: string) => ({
    id,
    displayName: id,
    endpoints: { authorization: `${stubUrl}/authorize`, token: `${stubUrl}/${id}/token` },
    clientId: 'c',
    clientSecret: 's',
    account: { from: 'none' },
    rotation,
    scopes: [{ name: 'files.read' }],
  })
  const file = join(folder, 'integrations.json')
  const integrations = [integration('rotating', 'replaces'), integration('steady', 'none')]
  writeFileSync(file, JSON.stringify({ integrations }))
  return {
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: stores.postgres.url('onboarding'),
    REDIS_URL: stores.redis.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
    SIGNING_KEY: randomBytes(32).toString('base64url'),
    PLATFORM_URL: `${stubUrl}/v0`,
    PLATFORM_API_KEY: 'bench',
    INTEGRATIONS_FILE: file,
    EGRESS_ALLOW: new URL(stubUrl).host,
    VERIFY_FUNCTIONS: String(values.verify),
    IMPORT_ROWS_AT_ONCE: String(atOnce),
    SWEEP_SECONDS: '1',
    LEASE_SECONDS: '5',
    LOG_LEVEL: 'warn',
  }
}

function createKey(): string {
  const created = execFileSync(process.execPath, [program('cli.js'), 'keys', 'create', '--name', 'bench'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  return JSON.parse(created).key
}

function start(): Promise<MeasuredProcess> {
  return startMeasured(program('main.js'), env, profiling())
}

function profiling(): string[] {
  const into = process.env.PROFILE
  return into ? ['--cpu-prof', `--cpu-prof-dir=${into}`] : []
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several routes
async function api(method: string, path: string, body?: object): Promise<any> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined)
    if (answer?.ok) return answer.json()
    if (answer && answer.status < 500) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    // The process was killed: send the same batch again with the same keys.
    await pause(200)
  }
}

function aRow(at: number) {
  const rotates = at % 2 === 0
  const grant = `${rotates ? 'r' : 's'}-${at}`
  return {
    key: `row-${at}`,
    integrationId: rotates ? 'rotating' : 'steady',
    endUser: { id: `user-${at}` },
    refreshToken: `${grant}.0`,
  }
}

async function feed(id: string): Promise<void> {
  const size = 250
  for (let first = 0; first < rows; first += size) {
    const batch = Array.from({ length: Math.min(size, rows - first) }, (_, at) => aRow(first + at))
    await api('POST', `/imports/${id}/rows`, { rows: batch })
  }
}

async function killUntilDone(id: string, from: number) {
  for (let killed = 0, polls = 1; ; polls++) {
    await pause(2_000)
    const progress = await api('GET', `/imports/${id}`)
    const done = progress.counts.linked + progress.counts.failed
    memoryMb.push(ours.memoryMb())
    if (done >= rows) return progress
    if (polls % 10 === 0) say(`${done} of ${rows} rows done, ${memoryMb.at(-1)?.toFixed(0)} MB`)
    if (performance.now() - from > maxMs) throw new Error(`not done: ${JSON.stringify(progress)}`)
    if (killed < kills && done > (rows * (killed + 1)) / (kills + 1)) {
      killed++
      cpu.ended += ours.cpuSeconds()
      await ours.kill()
      say(`killed after ${done} rows`)
      ours = await start()
    }
  }
}

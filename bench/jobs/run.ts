// `npm run bench:jobs [-- --tasks 10000]`: tasks that fail at random, on workers that are killed repeatedly.
import { randomBytes } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openPool } from '../../src/kit/database/pool.ts'
import { benchWorkspace } from '../platform/drives.ts'
import { type MeasuredProcess, startMeasured } from '../support/measured-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { check, type Mark, type TaskRow } from './check.ts'

const { values } = parseArgs({ options: { tasks: { type: 'string', default: '10000' } } })
const count = Number(values.tasks)
const maxRetries = 5
const workersAtATime = 4
const killEveryMs = 3_000
const maxSecondsPerKill = 5
const maxMs = 30 * 60_000

const folder = temporaryFolder()
const marksFile = join(folder, 'marks')
const main = fileURLToPath(new URL('../../../dist/platform/main.js', import.meta.url))
const world = await benchWorkspace()
const pool = openPool(world.url, { connections: 1 })
const settings = settingsFor()
const workers = Array.from({ length: workersAtATime }, startWorker)
await Promise.all(workers)

try {
  const from = performance.now()
  const id = await startExecution(await workerAt(0))
  const kills = await killUntilOver(id, from)
  const seconds = (performance.now() - from) / 1_000
  const { status, stats } = await read(id)
  const { rows } = await pool.query<TaskRow>('select index, state, attempts, reason from tasks order by index')
  const perKill = seconds / kills
  const verdicts = [
    ...check({ count, maxRetries, stats, tasks: rows, marks: readMarks() }),
    { what: `a worker is killed every ${maxSecondsPerKill} s or sooner`, holds: perKill <= maxSecondsPerKill },
  ]
  say(`${count} tasks in ${seconds.toFixed(0)} s: ${status}, ${JSON.stringify(stats)}`)
  say(`${kills} workers killed, one every ${perKill.toFixed(1)} s`)
  say(
    `${readMarks().filter(({ what }) => what === 'begin').length} runs, ${lostIn(rows)} tasks ended with a lost worker`,
  )
  for (const { what, holds } of verdicts) say(`${holds ? 'holds ' : 'MISSED'} ${what}`)
  if (verdicts.some(({ holds }) => !holds)) process.exitCode = 1
} finally {
  await Promise.allSettled(workers.map(async (worker) => (await worker).stop()))
  await pool.end()
  await world.stop()
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Uses only shell builtins, so that a task is one small process. Three of ten fail, by the kernel's random numbers. */
function settingsFor(): Record<string, string> {
  const script = `echo "begin $TASK_INDEX $TASK_ATTEMPT" >> ${marksFile}
read die < /proc/sys/kernel/random/uuid
case $die in [0-3]*|4[0-9abc]*) echo "bad $TASK_INDEX $TASK_ATTEMPT" >> ${marksFile}; exit 1;; esac
echo "ok $TASK_INDEX $TASK_ATTEMPT" >> ${marksFile}`
  const runtimes = [{ image: 'bench/flaky', command: ['/bin/sh', '-c', script] }]
  const file = join(folder, 'runtimes.json')
  writeFileSync(file, JSON.stringify({ runtimes }))
  appendFileSync(marksFile, '')
  return {
    DATABASE_URL: world.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('hex')}`,
    RUNTIMES_FILE: file,
    DATA_FOLDER: folder,
    JOB_TASKS: '16',
    LOG_LEVEL: 'error',
    HOST: '127.0.0.1',
    PORT: '0',
  }
}

function startWorker(): Promise<MeasuredProcess> {
  const starting = startMeasured(main, settings)
  starting.catch(() => {}) // reported where the worker is used
  return starting
}

function workerAt(at: number): Promise<MeasuredProcess> {
  return workers[at] as Promise<MeasuredProcess>
}

async function call(worker: MeasuredProcess, path: string, body?: object) {
  const answer = await fetch(`http://127.0.0.1:${worker.port}/v0${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...world.headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

async function startExecution(worker: MeasuredProcess): Promise<string> {
  await call(worker, '/jobs', { metadata: { name: 'soak' }, spec: { runtime: { image: 'bench/flaky', maxRetries } } })
  const tasks = Array.from({ length: count }, () => ({}))
  const { id } = (await call(worker, '/jobs/soak/executions', { tasks, parallelism: 1_000 })) as { id: string }
  return id
}

async function read(id: string): Promise<{ status: string; stats: Parameters<typeof check>[0]['stats'] }> {
  const { rows } = await pool.query('select status from executions where id = $1', [id])
  const { stats } = (await call(await workerAt(0), `/jobs/soak/executions/${id}`)) as Awaited<ReturnType<typeof read>>
  return { status: rows[0].status, stats }
}

async function isOver(id: string): Promise<boolean> {
  const { rows } = await pool.query('select completed_at is not null as over from executions where id = $1', [id])
  return rows[0].over
}

/** Kills one worker after the other. Does not wait for replacements, or a busy machine would see few kills. */
async function killUntilOver(id: string, from: number): Promise<number> {
  let kills = 0
  for (; !(await isOver(id)); kills++) {
    if (performance.now() - from > maxMs) throw new Error('the execution does not end')
    await pause(killEveryMs)
    const at = kills % workersAtATime
    await (await workerAt(at)).kill()
    workers[at] = startWorker()
  }
  return kills
}

function readMarks(): Mark[] {
  const lines = readFileSync(marksFile, 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [what = '', index, attempt] = line.split(' ')
    return { what: what as Mark['what'], index: Number(index), attempt: Number(attempt) }
  })
}

function lostIn(rows: readonly TaskRow[]): number {
  return rows.filter(({ reason }) => reason === 'The worker was lost.').length
}

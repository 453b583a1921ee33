// Real servers that a test may kill, freeze and start again on the same folder and port.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { ChildServer } from '../../../src/kit/embedded/child-server.ts'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { startPostgres } from '../../../src/kit/embedded/postgres.ts'
import { startRedis } from '../../../src/kit/embedded/redis.ts'
import { unprivilegedAccount } from '../../../src/kit/embedded/unprivileged-account.ts'
import { waitFor } from '../oracles/wait-for.ts'
import { temporaryFolder } from './stores.ts'

export type KillableRedis = Awaited<ReturnType<typeof startKillableRedis>>
export type KillablePostgres = Awaited<ReturnType<typeof startKillablePostgres>>

/** `password`: the same as another one's, so that its clients can come over. */
export async function startKillableRedis(settings: Record<string, string> = {}, password?: string) {
  const folder = temporaryFolder()
  if (password) writeFileSync(join(folder, 'password'), password)
  const port = await freePort()
  // A primary otherwise waits five seconds for more replicas before it sends the first one anything. And while a sync of
  // its file takes long, on a busy disk, it otherwise answers up to two seconds before it writes (`flushAppendOnlyFile`
  // in its src/aof.c, for `everysec`): a kill loses that.
  const all = { 'repl-diskless-sync-delay': '0', appendfsync: 'no', ...settings }
  const start = (more: Record<string, string> = {}) => startRedis({ folder, port, settings: { ...all, ...more } })
  let server = await start()
  return {
    port,
    url: server.url,
    password: new URL(server.url).password,
    /** One command to the server itself, past every line. */
    async command(name: string, ...args: string[]) {
      const client = new Redis(server.url, { enableReadyCheck: false, maxRetriesPerRequest: 1 })
      client.on('error', () => {})
      return client.call(name, ...args).finally(() => client.disconnect())
    },
    /** On the same folder: what the append-only file holds is there again. */
    async start(more?: Record<string, string>) {
      server = await start(more)
    },
    kill: () => kill(server.process),
    freeze: () => signal(pidOf(server.process), 'SIGSTOP'),
    thaw: () => signal(pidOf(server.process), 'SIGCONT'),
    /** Between kill and start: the next one knows nothing. */
    forget: () => rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true }),
    stop() {
      if (isRunning(server.process)) signal(pidOf(server.process), 'SIGCONT') // a test that failed may have left it frozen
      return server.stop()
    },
  }
}

export async function startKillablePostgres() {
  const folder = temporaryFolder()
  const port = await freePort()
  // A killed server may lose only what it has not acknowledged, so commits wait for the log; the disk itself is safe.
  const settings = { fsync: 'off', max_connections: '100' }
  const start = () => startPostgres({ folder: join(folder, 'postgres'), port, settings })
  let server = await start()
  const frozen: number[] = []
  await server.createDatabase('onboarding')
  return {
    port,
    url: server.url('onboarding'),
    /** Its children see that it is gone and end by themselves; until then a new one refuses to start. */
    start: () =>
      waitFor('PostgreSQL started again', async () => {
        const started = await start().catch(() => undefined)
        if (started) server = started
        return Boolean(started)
      }),
    kill: () => kill(server.process),
    /** All of it, or one of the processes that serve a connection; what they hold in hand they go on with later. */
    async freeze(which: 'all of it' | 'one connection' = 'all of it') {
      const stop = (pid: number) => {
        frozen.push(pid)
        signal(pid, 'SIGSTOP')
      }
      const client = new pg.Client({ connectionString: server.url('onboarding'), application_name: watching })
      await client.connect()
      // First of all the one that would let others in meanwhile.
      if (which === 'all of it') {
        stop(pidOf(server.process))
        await noneIsStarting(client, pidOf(server.process))
      }
      const serving = await servingProcesses(client)
      for (const pid of which === 'all of it' ? serving : serving.slice(0, 1)) stop(pid)
      await client.end()
    },
    thaw() {
      for (const pid of frozen.splice(0)) signal(pid, 'SIGCONT')
    },
    /**
     * How large a file of it may become, for processes that serve connections from now on. To the server it is a disk
     * that has no room left for that table, and no right is needed to do it to a process of one's own.
     */
    limitFiles: (bytes: number | 'unlimited') =>
      promisify(execFile)('prlimit', [`--pid=${pidOf(server.process)}`, `--fsize=${bytes}:`], unprivilegedAccount()),
    stop() {
      for (const pid of frozen.splice(0)) signal(pid, 'SIGCONT')
      return server.stop()
    },
  }
}

/** What a test reads the ledger with, and never freezes. */
export const watching = 'the test'

/**
 * Each is in a process group of its own, so the server's does not reach them. Those at rest come first: one that is
 * stopped in the middle of its work may hold what all others need.
 */
async function servingProcesses(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query(
    `select pid from pg_stat_activity where backend_type = 'client backend' and application_name <> $1
     order by state is distinct from 'idle'`,
    [watching],
  )
  return rows.map(({ pid }) => pid)
}

/** One that has just been let in is in no list of the server yet, and would serve all the same. */
const noneIsStarting = (client: pg.Client, server: number) =>
  waitFor('every process of the server is in its list', async () => {
    const listed = (await client.query('select pid from pg_stat_activity')).rows.map(({ pid }) => pid)
    return serversOf(server).every((pid) => listed.includes(pid))
  })

/** Its living processes; a shell that watches over it is none of them. */
function serversOf(parent: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.map(Number).filter((pid) => {
    const [, state, ppid] = /^\d+ \(postgres\) (\w) (\d+) /.exec(statusOf(pid)) ?? []
    return Number(ppid) === parent && state !== 'Z'
  })
}

/** Empty if it has ended meanwhile. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

const pidOf = ({ child }: ChildServer): number => child.pid as number

const isRunning = ({ child }: ChildServer) => child.exitCode === null && child.signalCode === null

/** It may have ended by itself meanwhile. */
function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function kill(server: ChildServer): Promise<void> {
  process.kill(pidOf(server), 'SIGKILL')
  await server.ended
}

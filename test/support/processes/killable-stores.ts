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

export type KillablePostgres = Awaited<ReturnType<typeof startKillablePostgres>>

/** `password`: the password of another server, so that its clients can switch over. */
export async function startKillableRedis(settings: Record<string, string> = {}, password?: string) {
  const folder = temporaryFolder()
  if (password) writeFileSync(join(folder, 'password'), password)
  const port = await freePort()
  // By default a primary waits five seconds for more replicas before the first sync. With `everysec`, it also answers up
  // to two seconds before it writes if the disk is busy (`flushAppendOnlyFile` in src/aof.c), which a kill would lose.
  const all = { 'repl-diskless-sync-delay': '0', appendfsync: 'no', ...settings }
  const start = (more: Record<string, string> = {}) => startRedis({ folder, port, settings: { ...all, ...more } })
  let server = await start()
  return {
    port,
    url: server.url,
    password: new URL(server.url).password,
    /** Sends a command directly to the server, not through a proxy. */
    async command(name: string, ...args: string[]) {
      const client = new Redis(server.url, { enableReadyCheck: false, maxRetriesPerRequest: 1 })
      client.on('error', () => {})
      return client.call(name, ...args).finally(() => client.disconnect())
    },
    /** On the same folder, so the append-only file is loaded. */
    async start(more?: Record<string, string>) {
      server = await start(more)
    },
    kill: () => kill(server.process),
    freeze: () => signal(pidOf(server.process), 'SIGSTOP'),
    thaw: () => signal(pidOf(server.process), 'SIGCONT'),
    /** Between kill and start: the next server is empty. */
    forget: () => rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true }),
    stop() {
      if (isRunning(server.process)) signal(pidOf(server.process), 'SIGCONT') // a failed test may have left it frozen
      return server.stop()
    },
  }
}

export async function startKillablePostgres() {
  const folder = temporaryFolder()
  const port = await freePort()
  // A killed server must not lose acknowledged commits, so commits wait for the log. fsync is not needed.
  const settings = { fsync: 'off', max_connections: '100' }
  const [data, backup] = [join(folder, 'postgres'), join(folder, 'backup')]
  const start = () => startPostgres({ folder: data, port, settings })
  let server = await start()
  const frozen: number[] = []
  await server.createDatabase('onboarding')
  return {
    port,
    url: server.url('onboarding'),
    /** The server's children end when they notice its death; until then a new server refuses to start. */
    start: () =>
      waitFor('PostgreSQL started again', async () => {
        const started = await start().catch(() => undefined)
        if (started) server = started
        return Boolean(started)
      }),
    kill: () => kill(server.process),
    /** Of a killed server. */
    backUp: () => copyFolder(data, backup),
    /** Between kill and start. */
    async restore() {
      rmSync(data, { recursive: true })
      await copyFolder(backup, data)
    },
    /** Freezes all processes, or one that serves a connection. */
    async freeze(which: 'all of it' | 'one connection' = 'all of it') {
      const stop = (pid: number) => {
        frozen.push(pid)
        signal(pid, 'SIGSTOP')
      }
      const client = new pg.Client({ connectionString: server.url('onboarding'), application_name: watching })
      await client.connect()
      // The postmaster first: it would accept new connections.
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
    /** Limits the file size of new server processes. To PostgreSQL this is a full disk, and it needs no special rights. */
    limitFiles: (bytes: number | 'unlimited') =>
      promisify(execFile)('prlimit', [`--pid=${pidOf(server.process)}`, `--fsize=${bytes}:`], unprivilegedAccount()),
    stop() {
      for (const pid of frozen.splice(0)) signal(pid, 'SIGCONT')
      return server.stop()
    },
  }
}

export const copyFolder = (folder: string, copy: string) => promisify(execFile)('cp', ['-a', folder, copy])

/** Application name of the test's own connections, which are never frozen. */
export const watching = 'the test'

/** Each has its own process group. Idle ones come first: a process that is stopped at work may hold locks that all need. */
async function servingProcesses(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query(
    `select pid from pg_stat_activity where backend_type = 'client backend' and application_name <> $1
     order by state is distinct from 'idle'`,
    [watching],
  )
  return rows.map(({ pid }) => pid)
}

/** A process that has just started is in no list of the server yet. */
const noneIsStarting = (client: pg.Client, server: number) =>
  waitFor('every process of the server is in its list', async () => {
    const listed = (await client.query('select pid from pg_stat_activity')).rows.map(({ pid }) => pid)
    return serversOf(server).every((pid) => listed.includes(pid))
  })

/** The living processes of the server, without the shell that watches it. */
function serversOf(parent: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.map(Number).filter((pid) => {
    const [, state, ppid] = /^\d+ \(postgres\) (\w) (\d+) /.exec(statusOf(pid)) ?? []
    return Number(ppid) === parent && state !== 'Z'
  })
}

export const processesOf = (server: ChildServer) => [pidOf(server), ...serversOf(pidOf(server))]

/** Empty if the process has ended. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

const pidOf = ({ child }: ChildServer): number => child.pid as number

const isRunning = ({ child }: ChildServer) => child.exitCode === null && child.signalCode === null

/** The process may have ended. */
export function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export async function kill(server: ChildServer): Promise<void> {
  process.kill(pidOf(server), 'SIGKILL')
  await server.ended
}

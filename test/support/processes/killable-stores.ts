// Real servers that a test may kill, freeze and start again on the same folder and port.
import { execFile } from 'node:child_process'
import { chownSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { ChildServer } from '../../../src/kit/embedded/child-server.ts'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { type EmbeddedPostgres, startPostgres } from '../../../src/kit/embedded/postgres.ts'
import { startRedis } from '../../../src/kit/embedded/redis.ts'
import { unprivilegedAccount } from '../../../src/kit/embedded/unprivileged-account.ts'
import { startCuttingProxy } from '../doubles/cutting-proxy.ts'
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

/** A primary and a standby behind one address. By default commits wait for the standby. */
export async function startReplicatedPostgres({ isSynchronous = true } = {}) {
  const [folder, copy] = [join(temporaryFolder(), 'postgres'), join(temporaryFolder(), 'postgres')]
  const ports = [await freePort(), await freePort()] as const
  const settings = { fsync: 'off', max_connections: '100', wal_level: 'replica' }
  const first = await startPostgres({ folder, port: ports[0], settings })
  await first.createDatabase('onboarding')
  await first.stop()
  const replication = await startCuttingProxy(ports[0])
  await copyStandby(folder, copy)

  const startPrimary = () => startPostgres({ folder, port: ports[0], settings })
  let primary = await startPrimary()
  const conninfo = `${withPort(primary.url('postgres'), replication.port)}?application_name=standby`
  const standby = await startPostgres({
    folder: copy,
    port: ports[1],
    settings: { ...settings, primary_conninfo: conninfo, wal_retrieve_retry_interval: '100ms' },
  })
  await waitFor('the standby follows', () => isStreaming(primary))
  const address = await startCuttingProxy(ports[0])
  if (isSynchronous) await query(primary, "alter system set synchronous_standby_names = 'standby'")
  await query(primary, 'select pg_reload_conf()')
  return {
    port: address.port,
    url: withPort(primary.url('onboarding'), address.port),
    replication,
    primaryUrl: primary.url('onboarding'),
    standbyUrl: standby.url('onboarding'),
    kill: () => kill(primary.process),
    /** The standby: commits wait for it. */
    async freeze() {
      for (const pid of processesOf(standby.process)) signal(pid, 'SIGSTOP')
    },
    thaw,
    /** The address leads to the standby from now on. */
    async promote() {
      replication.close()
      await query(standby, 'select pg_promote()')
      address.toward(ports[1])
      address.cutOpen()
    },
    /** As it was when it was killed. */
    async startPrimary() {
      primary = await startPrimary()
      await query(primary, 'alter system reset synchronous_standby_names')
      await query(primary, 'select pg_reload_conf()')
    },
    leadToPrimary() {
      address.toward(ports[0])
      address.cutOpen()
    },
    countOnPrimary: async (text: string) => (await query(primary, text, 'onboarding')).rowCount,
    async stop() {
      thaw()
      address.close()
      await standby.stop()
      await primary.stop()
      replication.close()
    },
  }

  function thaw() {
    for (const pid of processesOf(standby.process)) signal(pid, 'SIGCONT')
  }
}

const copyFolder = (folder: string, copy: string) => promisify(execFile)('cp', ['-a', folder, copy])

/** Of a stopped server, which needs no `pg_basebackup`. */
async function copyStandby(folder: string, copy: string) {
  await copyFolder(folder, copy)
  const signalFile = join(copy, 'data', 'standby.signal')
  writeFileSync(signalFile, '')
  const account = unprivilegedAccount()
  if (account) chownSync(signalFile, account.uid, account.gid)
}

async function query(server: EmbeddedPostgres, text: string, database = 'postgres') {
  const client = new pg.Client({ connectionString: server.url(database), application_name: watching })
  await client.connect()
  return client.query(text).finally(() => client.end())
}

const isStreaming = async (primary: EmbeddedPostgres) =>
  (await query(primary, `select from pg_stat_replication where state = 'streaming'`)).rowCount === 1

const withPort = (url: string, port: number) => Object.assign(new URL(url), { port }).href

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

const processesOf = (server: ChildServer) => [pidOf(server), ...serversOf(pidOf(server))]

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

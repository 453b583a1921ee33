// A primary and a standby behind one address. The standby may be promoted, and the old primary may follow it.
import { chownSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { type EmbeddedPostgres, startPostgres } from '../../../src/kit/embedded/postgres.ts'
import { unprivilegedAccount } from '../../../src/kit/embedded/unprivileged-account.ts'
import { ignoreError } from '../../../src/kit/process/ignore-error.ts'
import { startCuttingProxy } from '../doubles/cutting-proxy.ts'
import { waitFor } from '../oracles/wait-for.ts'
import { copyFolder, kill, processesOf, signal, watching } from './killable-stores.ts'
import { temporaryFolder } from './stores.ts'

type Node = { folder: string; port: number; server: EmbeddedPostgres }

const settings = { fsync: 'off', max_connections: '100', wal_level: 'replica', wal_keep_size: '512MB' }

/** By default commits wait for the standby. */
export async function startReplicatedPostgres({ isSynchronous = true } = {}) {
  const folder = join(temporaryFolder(), 'postgres')
  const port = await freePort()
  const first = await startPostgres({ folder, port, settings })
  await first.createDatabase('onboarding')
  await first.stop()
  const replication = await startCuttingProxy(port)
  const copy = join(temporaryFolder(), 'postgres')
  await copyFolder(folder, copy)
  const startPrimary = () => startPostgres({ folder, port, settings })
  let primary: Node = { folder, port, server: await startPrimary() }
  let standby = await startStandby({ folder: copy, port: await freePort() })
  const [primaryUrl, standbyUrl] = [primary.server.url('onboarding'), standby.server.url('onboarding')]
  const address = await startCuttingProxy(port)
  if (isSynchronous) await waitForStandby()

  return {
    port: address.port,
    url: withPort(primaryUrl, address.port),
    replication,
    /** Of the servers before the first promotion. */
    primaryUrl,
    standbyUrl,
    kill: () => kill(primary.server.process),
    /** The standby: commits wait for it. */
    async freeze() {
      for (const pid of processesOf(standby.server.process)) signal(pid, 'SIGSTOP')
    },
    thaw,
    /** The address leads to the standby from now on. */
    async promote() {
      replication.close()
      await query(standby.server, 'select pg_promote()')
      const [old, promoted] = [primary, standby]
      primary = promoted
      standby = old
      address.toward(primary.port)
      address.cutOpen()
    },
    /** The killed server follows the new primary, with a copy of its data. */
    async rejoin() {
      replication.toward(primary.port)
      await replication.pass()
      await copyRunning(primary, standby)
      standby = await startStandby(standby)
      if (isSynchronous) await waitForStandby()
    },
    /** The old primary, as it was when it was killed. */
    async startPrimary() {
      const server = await startPrimary()
      standby = { ...standby, server }
      await query(server, 'alter system reset synchronous_standby_names')
      await query(server, 'select pg_reload_conf()')
    },
    leadToPrimary() {
      address.toward(port)
      address.cutOpen()
    },
    /** On the server that was the primary at the start. */
    countOnPrimary: async (text: string) => {
      const { server } = [primary, standby].find((node) => node.port === port) as Node
      return (await query(server, text, 'onboarding')).rowCount
    },
    async stop() {
      thaw()
      address.close()
      await standby.server.stop()
      await primary.server.stop()
      replication.close()
    },
  }

  async function startStandby(at: Pick<Node, 'folder' | 'port'>): Promise<Node> {
    writeOwned(join(at.folder, 'data', 'standby.signal'))
    const conninfo = `${withPort(primary.server.url('postgres'), replication.port)}?application_name=standby`
    const more = { primary_conninfo: conninfo, wal_retrieve_retry_interval: '100ms' }
    const server = await startPostgres({ ...at, settings: { ...settings, ...more } })
    await waitFor('the standby follows', () => isStreaming(primary.server), { withinMs: 60_000 })
    return { ...at, server }
  }

  async function waitForStandby() {
    await query(primary.server, "alter system set synchronous_standby_names = 'standby'")
    await query(primary.server, 'select pg_reload_conf()')
  }

  function thaw() {
    for (const pid of processesOf(standby.server.process)) signal(pid, 'SIGCONT')
  }
}

/**
 * A base backup by the low-level API, because the packaged servers have no `pg_basebackup`
 * (https://www.postgresql.org/docs/15/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP).
 */
async function copyRunning(from: Node, to: Pick<Node, 'folder'>) {
  const client = await connect(from.server, 'postgres')
  try {
    await client.query("select pg_backup_start('standby', true)")
    rmSync(join(to.folder, 'data'), { recursive: true })
    await copyFolder(join(from.folder, 'data'), join(to.folder, 'data')).catch(ignoreError('files may end meanwhile'))
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    writeOwned(join(to.folder, 'data', 'backup_label'), rows[0].labelfile)
    writeOwned(join(to.folder, 'data', 'postgresql.auto.conf'))
    rmSync(join(to.folder, 'data', 'postmaster.pid'), { force: true })
  } finally {
    await client.end()
  }
}

function writeOwned(file: string, text = '') {
  writeFileSync(file, text)
  const account = unprivilegedAccount()
  if (account) chownSync(file, account.uid, account.gid)
}

async function connect(server: EmbeddedPostgres, database: string) {
  const client = new pg.Client({ connectionString: server.url(database), application_name: watching })
  client.on('error', ignoreError('the query says so'))
  await client.connect()
  return client
}

async function query(server: EmbeddedPostgres, text: string, database = 'postgres') {
  const client = await connect(server, database)
  return client.query(text).finally(() => client.end())
}

const isStreaming = async (primary: EmbeddedPostgres) =>
  (await query(primary, `select from pg_stat_replication where state = 'streaming'`)).rowCount === 1

const withPort = (url: string, port: number) => Object.assign(new URL(url), { port }).href

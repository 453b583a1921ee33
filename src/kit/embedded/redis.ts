import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answers, openRedis } from '../redis.ts'
import { StartError } from '../start-error.ts'
import { freePort } from './free-port.ts'
import { type Tethered, tether } from './tethered-process.ts'

export type EmbeddedRedis = { url: string; process: Tethered; stop(): Promise<void> }

export type EmbeddedRedisOptions = { folder: string; port?: number; settings?: Record<string, string> }

/** A private server with its own folder, password and port, ended with this process. */
export async function startRedis(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const program = findRedisServer()
  if (!program)
    throw new StartError(
      'no redis-server on this machine: install it (Debian: apt install redis-server), or set REDIS_URL',
    )
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const port = options.port ?? (await freePort())
  const password = keptPassword(options.folder)
  await refuseSecond(options.folder, password)
  const file = writeSettings(options.folder, { port: String(port), requirepass: password, ...options.settings })
  const server = tether(program, [file])
  const url = `redis://:${password}@127.0.0.1:${port}`
  await untilReady(server, url)
  return { url, process: server, stop: server.stop }
}

export function findRedisServer(): string | undefined {
  for (const name of ['redis-server', 'valkey-server']) {
    try {
      return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    } catch {
      // not this one
    }
  }
  return undefined
}

function keptPassword(folder: string): string {
  const file = join(folder, 'password')
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

/** Two servers on one folder would write over each other; Redis itself does not look. */
async function refuseSecond(folder: string, password: string): Promise<void> {
  const file = join(folder, 'redis.conf')
  const [, port] = (existsSync(file) && /^port (\d+)$/m.exec(readFileSync(file, 'utf8'))) || []
  if (!port) return
  const client = openRedis(`redis://:${password}@127.0.0.1:${port}`)
  const connected = await new Promise((resolve) => {
    client.once('ready', () => resolve(true)).once('close', () => resolve(false))
    setTimeout(() => resolve(false), 1_000).unref() // somebody else's server by now, which says nothing we understand
  })
  client.disconnect()
  if (connected) throw new StartError('the data folder is in use: another Causeway runs here')
}

// A file, not arguments: arguments are readable by every user of the machine.
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

async function untilReady(server: Tethered, url: string): Promise<void> {
  let running = true
  server.ended.then(() => {
    running = false
  })
  const client = openRedis(url)
  try {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline && running; ) {
      if (await answers(client)) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    client.disconnect()
  }
  await server.stop()
  throw new StartError(`redis-server did not start: ${server.output().trim().split('\n').at(-1) ?? ''}`)
}

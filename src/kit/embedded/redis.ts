import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { answers, openRedis } from '../database/redis.ts'
import { ignoreError } from '../process/ignore-error.ts'
import { stallProofTimeout } from '../process/stall-proof-timeout.ts'
import { StartError } from '../process/start-error.ts'
import { type ChildServer, startChildServer } from './child-server.ts'
import { freePort } from './free-port.ts'

export type EmbeddedRedis = { url: string; process: ChildServer; stop(): Promise<void> }

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
async function assertNotRunning(folder: string, password: string): Promise<void> {
  const file = join(folder, 'redis.conf')
  const [, port] = (existsSync(file) && /^port (\d+)$/m.exec(readFileSync(file, 'utf8'))) || []
  if (port && (await isServed(Number(port), password)))
    throw new StartError('the data folder is in use: another Causeway runs here')
}

/** Its port may be another server's by now, its password is not. A server that still loads its data knows it, too. */
function isServed(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(`AUTH ${password}\r\n`))
    const clear = stallProofTimeout(strangersMs, () => socket.destroy())
    socket.on('error', ignoreError('close follows'))
    socket.once('close', () => {
      clear()
      resolve(false)
    })
    socket.once('data', (answer) => {
      resolve(String(answer).startsWith('+OK'))
      socket.destroy()
    })
  })
}

/** Who says nothing for so long is no Redis. Ours may be slow to answer on a busy machine, and must not be missed. */
const strangersMs = 5_000

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

async function untilReady(server: ChildServer, url: string): Promise<void> {
  let running = true
  void server.ended.then(() => {
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

import { Cluster, type Command, Redis, type RedisOptions } from 'ioredis'
import { connectionCode, describeConnection } from '../fetch/connection-problem.ts'
import { ignoreError } from '../process/ignore-error.ts'
import { stallProofTimeout } from '../process/stall-proof-timeout.ts'
import { StartError } from '../process/start-error.ts'
import { classifyRedisError, StoreUnavailable } from './store-errors.ts'

export type RedisClient = Redis | Cluster

/**
 * For requests that a person waits for: a command is sent at most once and answered within a second, or it fails.
 * The library's defaults re-send a command whose answer was lost, and wait for a dead server without limit.
 */
const webOptions: RedisOptions = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  connectTimeout: 2_000,
  keepAlive: 10_000,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1_000) + Math.random() * 100,
  // 1 reconnects without re-sending: after a failover the old primary answers READONLY.
  reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 1 : false),
}

/** A request asks twice at most, and is answered within a second and a half. */
const commandMs = 600

/**
 * Commands in time, and their errors classified. The library's own limit gives a command up in the timer itself: after a
 * pause of this process, because the machine had no time for it, that would throw away an answer that lies there, or
 * that the server had no time for either.
 */
class TimedRedis extends Redis {
  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    limit(args[0])
    return super.sendCommand(...args)
  }
}

class TimedCluster extends Cluster {
  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    limit(args[0])
    return super.sendCommand(...args)
  }
}

/** The library sends a command once more after a reconnect, and then its time goes on. */
const limited = new WeakSet<Command>()

function limit(command: Command): void {
  if (limited.has(command)) return
  limited.add(command)
  const { reject } = command
  command.reject = (error) => reject.call(command, classifyRedisError(error))
  const giveUp = () => command.isResolved || command.reject(new Error('Command timed out'))
  const clear = stallProofTimeout(commandMs, giveUp)
  command.promise.then(clear, clear)
}

/**
 * `redis://host:port/db`, `rediss://…` (TLS), `redis+sentinel://host:port,host:port/primary-name`,
 * `redis+cluster://host:port,host:port`.
 */
export function openRedis(url: string): RedisClient {
  const client = createClient(url)
  // An unheard 'error' event ends the process.
  client.on('error', ignoreError('readiness reads the state of the connection, and commands fail by themselves'))
  return client
}

function createClient(url: string): RedisClient {
  const several = /^redis\+(sentinel|cluster):\/\/(?:([^:@/]*):([^@/]*)@)?([^/]+)(?:\/(.*))?$/.exec(url)
  if (!several) return new TimedRedis(url, webOptions)
  const [, kind, username, password, hosts = '', name] = several
  const nodes = hosts.split(',').map(hostAndPort)
  const credentials = { username: username || undefined, password: password ? decodeURIComponent(password) : undefined }
  if (kind === 'cluster') {
    return new TimedCluster(nodes, { enableOfflineQueue: false, redisOptions: { ...webOptions, ...credentials } })
  }
  return new TimedRedis({ ...webOptions, ...credentials, sentinels: nodes, name: name || 'mymaster' })
}

function hostAndPort(text: string): { host: string; port: number } {
  const [host = '', port = '6379'] = text.split(':')
  return { host, port: Number(port) }
}

/** Says whether the address is one that openRedis understands. */
export const isRedisUrl = (url: string): boolean =>
  /^rediss?:\/\/[^/]+/.test(url) || /^redis\+(sentinel|cluster):\/\/[^/]+/.test(url)

/** Resolves when commands will be answered; refuses with one line when that does not happen in time. */
export async function awaitRedis(client: RedisClient, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let last: unknown
  // What a connection fails for is told by this event alone; the commands only hear that there is none.
  const remember = (error: unknown) => {
    last = error
  }
  client.on('error', remember)
  try {
    while (!(await answers(client, remember))) {
      const refusal = passwordProblem(last)
      if (refusal) throw new StartError(`REDIS_URL: ${refusal}`)
      if (Date.now() > deadline) throw new StartError(`REDIS_URL: no Redis answers there${reason(last)}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  } finally {
    client.off('error', remember)
  }
}

/** Waiting does not mend these, in the words of Redis 7.0. */
function passwordProblem(error: unknown): string | undefined {
  const { message = '' } = (error ?? {}) as { message?: string }
  if (message.includes('NOAUTH')) return 'this Redis asks for a password (NOAUTH): write it as redis://:password@host'
  if (message.includes('WRONGPASS')) return 'this Redis does not accept the user or password (WRONGPASS)'
  return message.includes('NOPERM') ? 'this Redis user may not run the commands we need (NOPERM)' : undefined
}

function reason(error: unknown): string {
  const code = connectionCode(error)
  return code ? ` (${describeConnection(code)})` : ''
}

/** What the server gives up when its memory is full; nothing where it does not say. */
export async function evictionPolicy(client: RedisClient): Promise<string | undefined> {
  const memory = await client.info('memory').catch(() => '')
  return /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
}

/** A server that evicts forgets whom it has seen without telling anybody. */
export async function assertNoEviction(client: RedisClient, onUnknown: () => void): Promise<void> {
  const policy = await evictionPolicy(client)
  if (policy === undefined) return onUnknown() // some managed servers hide it
  if (policy !== 'noeviction') {
    throw new StartError(
      `REDIS_URL: this Redis gives up keys when it is full (${policy}): set maxmemory-policy noeviction`,
    )
  }
}

export async function answers(client: RedisClient, onError?: (error: unknown) => void): Promise<boolean> {
  try {
    return (await client.ping()) === 'PONG'
  } catch (error) {
    // "Not connected" says less than why it is not.
    if (!(error instanceof StoreUnavailable)) onError?.(error)
    return false
  }
}

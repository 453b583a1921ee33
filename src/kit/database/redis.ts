import { Cluster, type Command, Redis, type RedisOptions } from 'ioredis'
import { within } from '../process/background-work.ts'
import { ignoreError } from '../process/ignore-error.ts'
import { stallProofTimeout } from '../process/stall-proof-timeout.ts'
import { classifyRedisError, StoreUnavailable } from './store-errors.ts'

export type RedisClient = Redis | Cluster

const connectMs = 2_000

/**
 * For requests that a person waits for: a command is sent at most once and answered within a second, or it fails.
 * The library's defaults re-send a command whose answer was lost, and wait for a dead server without limit.
 */
const webOptions: RedisOptions = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  connectTimeout: connectMs,
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
  firstAttempts.set(client, within(attemptOf(client), connectMs))
  return client
}

/** Until a client that was just opened has connected, or could not, nobody knows whether its server answers. */
const firstAttempts = new WeakMap<RedisClient, Promise<void>>()

const attemptOf = (client: RedisClient): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ['ready', 'error', 'close', 'end']) client.once(event, () => resolve())
  })

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

export async function answers(client: RedisClient, onError?: (error: unknown) => void): Promise<boolean> {
  await firstAttempts.get(client)
  try {
    return (await client.ping()) === 'PONG'
  } catch (error) {
    // "Not connected" says less than why it is not.
    if (!(error instanceof StoreUnavailable)) onError?.(error)
    return false
  }
}

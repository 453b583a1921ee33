import { Cluster, type Command, Redis, type RedisOptions } from 'ioredis'
import { connectionCode, describeConnection } from '../fetch/connection-problem.ts'
import { within } from '../process/background-work.ts'
import { StartError } from '../process/start-error.ts'
import { classifyRedisError, StoreUnavailable, storeHost } from './store-errors.ts'

export type RedisClient = Redis | Cluster

const connectMs = 2_000

/** Sends a command at most once, and fails after a second. By default the library resends commands and waits without limit. */
const webOptions: RedisOptions = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  connectTimeout: connectMs,
  commandTimeout: 1_000,
  keepAlive: 10_000,
  retryStrategy: (attempt) => Math.min(attempt * 100, 1_000) + Math.random() * 100,
  // 1 reconnects without resending: after a failover the old primary answers READONLY.
  reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 1 : false),
}

class StoreRedis extends Redis {
  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    classifyRejection(args[0], this)
    return super.sendCommand(...args)
  }
}

class StoreCluster extends Cluster {
  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    classifyRejection(args[0], this)
    return super.sendCommand(...args)
  }
}

type Line = { host: string; lost: Error | undefined }

const lines = new WeakMap<RedisClient, Line>()

function classifyRejection(command: Command, client: RedisClient): void {
  const { reject } = command
  command.reject = (error) => {
    const { host, lost } = lines.get(client) ?? {}
    const fail = () => reject.call(command, classifyRedisError(error, host, lost))
    // Timers run before sockets are read: after a pause of this process the reply may be there.
    if (error.message === 'Command timed out') setImmediate(fail)
    else fail()
  }
}

/**
 * `redis://`, `redis+cluster://host:port,…` or
 * `redis+sentinel://host:port,…/primary-name?sentinelUsername=…&sentinelPassword=…`; with `rediss` or `?tls=true` by TLS.
 */
export function openRedis(url: string): RedisClient {
  const client = createClient(url)
  const line: Line = { host: storeHost(url), lost: undefined }
  lines.set(client, line)
  // Without a listener the event ends the process. Each command reports its own failure.
  client.on('error', (error) => {
    line.lost = error
  })
  client.on('ready', () => {
    line.lost = undefined
  })
  firstAttempts.set(client, within(attemptOf(client), connectMs))
  return client
}

/** Resolves when a new client has connected or failed to. */
const firstAttempts = new WeakMap<RedisClient, Promise<void>>()

const attemptOf = (client: RedisClient): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ['ready', 'error', 'close', 'end']) client.once(event, () => resolve())
  })

function createClient(url: string): RedisClient {
  const several = parseServers(url)
  if (!several) return new StoreRedis(url, webOptions)
  const { kind, isSecure, nodes, name, query, ...credentials } = several
  const tls = isSecure ? {} : undefined
  const options = { ...webOptions, ...credentials, ...(tls && { tls }) }
  if (kind === 'cluster') {
    return new StoreCluster(nodes, {
      enableOfflineQueue: false,
      // A certificate names hosts, so names are not resolved to addresses first.
      ...(tls && { dnsLookup: (address, callback) => callback(null, address) }),
      redisOptions: options,
    })
  }
  return new StoreRedis({
    ...options,
    sentinels: nodes,
    name: name || 'mymaster',
    sentinelUsername: query.get('sentinelUsername') ?? undefined,
    sentinelPassword: query.get('sentinelPassword') ?? undefined,
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  })
}

const serversPattern =
  /^redis(?<s>s?)\+(?<kind>sentinel|cluster):\/\/(?:(?<username>[^:@/]*):(?<password>[^@/]*)@)?(?<hosts>[^/?]+)(?:\/(?<name>[^?]*))?(?:\?(?<query>.*))?$/

function parseServers(url: string) {
  const { groups } = serversPattern.exec(url) ?? {}
  if (!groups) return undefined
  const query = new URLSearchParams(groups.query)
  return {
    kind: groups.kind,
    isSecure: groups.s === 's' || query.get('tls') === 'true',
    username: decodeURIComponent(groups.username ?? '') || undefined,
    password: decodeURIComponent(groups.password ?? '') || undefined,
    nodes: (groups.hosts ?? '').split(',').map(hostAndPort),
    name: groups.name,
    query,
  }
}

function hostAndPort(text: string): { host: string; port: number } {
  const [host = '', port = '6379'] = text.split(':')
  return { host, port: Number(port) }
}

export const isRedisUrl = (url: string): boolean => /^rediss?(\+(sentinel|cluster))?:\/\/[^/]+/.test(url)

export async function answers(client: RedisClient, onError?: (error: unknown) => void): Promise<boolean> {
  await firstAttempts.get(client)
  try {
    return (await client.ping()) === 'PONG'
  } catch (error) {
    // "Not connected" would hide the reason.
    if (!(error instanceof StoreUnavailable)) onError?.(error)
    return false
  }
}

export async function awaitRedis(client: RedisClient, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let last: unknown
  // Only this event has the reason; commands just fail.
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

/** Errors that waiting does not fix, as worded by Redis 7.0. */
function passwordProblem(error: unknown): string | undefined {
  const { message = '' } = (error ?? {}) as { message?: string }
  if (message.includes('sentinels are unreachable')) return sentinelProblem(message)
  if (message.includes('NOAUTH')) return 'this Redis asks for a password (NOAUTH): write it as redis://:password@host'
  if (message.includes('WRONGPASS')) return 'this Redis does not accept the user or password (WRONGPASS)'
  return message.includes('NOPERM') ? 'this Redis user may not run the commands we need (NOPERM)' : undefined
}

function sentinelProblem(message: string): string | undefined {
  if (message.includes('NOAUTH')) return 'the Sentinels ask for a password (NOAUTH): add ?sentinelPassword=…'
  return message.includes('WRONGPASS') ? 'the Sentinels do not accept the user or password (WRONGPASS)' : undefined
}

function reason(error: unknown): string {
  const code = connectionCode(error)
  return code ? ` (${describeConnection(code)})` : ''
}

/** Undefined if the server hides it. */
async function evictionPolicy(client: RedisClient): Promise<string | undefined> {
  const memory = await client.info('memory').catch(() => '')
  return /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
}

/** A server that evicts keys loses state silently. */
export async function assertNoEviction(client: RedisClient, onUnknown: () => void): Promise<void> {
  const policy = await evictionPolicy(client)
  if (policy === undefined) return onUnknown() // some managed servers hide it
  if (policy !== 'noeviction') {
    throw new StartError(
      `REDIS_URL: this Redis evicts keys when it is full (${policy}): set maxmemory-policy noeviction`,
    )
  }
}

// What is asked of a Redis server before it is used.
import { connectionCode, describeConnection } from '../fetch/connection-problem.ts'
import { StartError } from '../process/start-error.ts'
import { answers, type RedisClient } from './redis.ts'

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

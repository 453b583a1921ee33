import { z } from 'zod'
import type { RedisClient } from './redis.ts'
import type { PrimaryWatch } from './servers.ts'

const Stored = z.object({ system: z.string(), timeline: z.number() })

/** Tells the processes of a program which primary is the newest. Redis may forget it: each process remembers its own. */
export function sharePrimary(redis: RedisClient | undefined, primary: PrimaryWatch, program: string) {
  const key = `${program}:primary`
  return async (): Promise<void> => {
    if (!redis) return
    const stored = storedIn(await redis.get(key))
    const own = primary.newest()
    if (stored && (!own || own.system === stored.system)) primary.learn(stored)
    const newest = primary.newest()
    if (newest && (newest.system !== stored?.system || newest.timeline > stored.timeline))
      await redis.set(key, JSON.stringify(newest))
  }
}

function storedIn(text: string | null) {
  try {
    return Stored.safeParse(JSON.parse(text ?? 'null')).data
  } catch {
    return undefined // it is written again
  }
}

import type { RedisClient } from '../../../kit/database/redis.ts'

type Script<T> = (key: string, ...args: string[]) => Promise<T>

/** Sends the script only if the server does not know its hash. */
export function defineScript<T>(redis: RedisClient, name: string, lua: string): Script<T> {
  redis.defineCommand(name, { numberOfKeys: 1, lua })
  const commands = redis as unknown as Record<string, Script<T>>
  return (key, ...args) => (commands[name] as Script<T>).call(redis, key, ...args)
}

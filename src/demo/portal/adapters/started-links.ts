// Links by browser session, one record each. A session is written as a whole, so two links that start at once would
// overwrite each other there.
import type { RedisClient } from '../../../kit/database/redis.ts'
import { sessionSeconds } from '../domain/link.ts'

export type StartedLinks = {
  /** Completing a link needs its verifier. The verifier stays, because a connect page can be used again. */
  keepVerifier(session: string, connectSession: string, verifier: string): Promise<void>
  verifierOf(session: string, connectSession: string): Promise<string | undefined>
  keepLink(session: string, link: string): Promise<void>
  hasLink(session: string, link: string): Promise<boolean>
}

export function startedLinks(redis: RedisClient | undefined): StartedLinks {
  const { put, get } = redis ? inRedis(redis) : inMemory()
  return {
    keepVerifier: (session, connectSession, verifier) => put(`verifier:${session}:${connectSession}`, verifier),
    verifierOf: (session, connectSession) => get(`verifier:${session}:${connectSession}`),
    keepLink: (session, link) => put(`link:${session}:${link}`, 'started'),
    hasLink: async (session, link) => (await get(`link:${session}:${link}`)) !== undefined,
  }
}

const inRedis = (redis: RedisClient) => ({
  put: async (key: string, value: string): Promise<void> => {
    await redis.set(`acme:started:${key}`, value, 'EX', sessionSeconds)
  },
  get: async (key: string): Promise<string | undefined> => (await redis.get(`acme:started:${key}`)) ?? undefined,
})

function inMemory() {
  const values = new Map<string, string>()
  return {
    put: async (key: string, value: string): Promise<void> => void values.set(key, value),
    get: async (key: string): Promise<string | undefined> => values.get(key),
  }
}

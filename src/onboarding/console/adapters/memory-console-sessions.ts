import type { MemoryStore } from 'express-session'
import { expiringValues } from '../../adapters/memory/expiring-values.ts'
import { maxSessionSeconds } from '../../domain/console.ts'
import type { ConsoleSessions } from '../../domain/ports/console.ts'

export function memoryConsoleSessions(store: MemoryStore, now: () => Date): ConsoleSessions {
  const grants = expiringValues<string>(now)
  const index = expiringValues<Set<string>>(now)
  const forms = expiringValues<true>(now)
  const sessionsOf = (subject: string) => index.get(subject) ?? new Set<string>()
  return {
    async remember(subject, sessionId, sealedGrant) {
      index.set(subject, sessionsOf(subject).add(sessionId), maxSessionSeconds)
      if (sealedGrant) grants.set(sessionId, sealedGrant, maxSessionSeconds)
    },
    remembers: async (subject, sessionId) => sessionsOf(subject).has(sessionId),
    grantOf: async (sessionId) => grants.get(sessionId),
    keepGrant: async (sessionId, sealed) => grants.set(sessionId, sealed, maxSessionSeconds),
    async forget(subject, sessionId) {
      sessionsOf(subject).delete(sessionId)
      grants.set(sessionId, '', 0)
    },
    async endAll(subject) {
      const ended = [...sessionsOf(subject)]
      for (const sessionId of ended) {
        store.destroy(sessionId)
        grants.set(sessionId, '', 0)
      }
      index.set(subject, new Set(), 0)
      return ended.length
    },
    async claimForm(sessionId, form) {
      const isFirst = !forms.get(`${sessionId}|${form}`)
      forms.set(`${sessionId}|${form}`, true, maxSessionSeconds)
      return isFirst
    },
  }
}

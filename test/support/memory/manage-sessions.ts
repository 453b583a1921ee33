import type { ManageSession } from '../../../src/onboarding/domain/end-users/manage-session.ts'
import type { ManageSessions } from '../../../src/onboarding/domain/ports/connections.ts'
import { note } from './audit.ts'
import { assertTenant, change, inSeconds, isPast, type ManageSessionRow, type Store } from './tables.ts'

const dayInSeconds = 24 * 60 * 60

export function memoryManageSessions(store: Store): ManageSessions {
  const { manageSessions } = store.tables
  const read = (row: ManageSessionRow | undefined): ManageSession | undefined => {
    if (!row) return undefined
    const { tokenDigest: _, openUntil: __, ...session } = row
    return { ...session, expired: isPast(store, row.expiresAt) }
  }
  return {
    async create({ ttlSeconds, openWithinSeconds, ...session }, tokenDigest, audit) {
      assertTenant(store, session.tenant)
      const openUntil = inSeconds(store, Math.min(openWithinSeconds, ttlSeconds))
      const times = { openUntil, expiresAt: inSeconds(store, ttlSeconds), createdAt: store.now() }
      manageSessions.set(session.id, { ...session, ...times, tokenDigest, browser: undefined, revokedAt: undefined })
      note(store, audit)
      return read(manageSessions.get(session.id)) as ManageSession
    },
    find: async (id) => read(manageSessions.get(id)),
    byToken: async (digest) => read([...manageSessions.values()].find(({ tokenDigest }) => tokenDigest === digest)),
    async open(digest, { known, fresh }) {
      const row = [...manageSessions.values()].find(({ tokenDigest }) => tokenDigest === digest)
      if (!row || row.revokedAt || isPast(store, row.expiresAt)) return undefined
      const isOwn = row.browser !== undefined && known.includes(row.browser)
      if (!isOwn && (row.browser !== undefined || isPast(store, row.openUntil))) return undefined
      return read(change(manageSessions, row.id, { browser: row.browser ?? fresh }))
    },
    async revoke(id, audit) {
      const row = manageSessions.get(id)
      if (!row || row.revokedAt) return false
      change(manageSessions, id, { revokedAt: store.now() })
      note(store, audit)
      return true
    },
    async forgetOld() {
      const before = inSeconds(store, -dayInSeconds)
      for (const { id, expiresAt } of [...manageSessions.values()]) if (expiresAt < before) manageSessions.delete(id)
    },
  } satisfies Partial<ManageSessions> as ManageSessions
}

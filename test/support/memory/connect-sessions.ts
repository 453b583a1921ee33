import { type ConnectSession, mayStartAgain } from '../../../src/onboarding/domain/connect-session.ts'
import type { ConnectSessions } from '../../../src/onboarding/domain/ports/linking.ts'
import { isPinned } from '../../../src/onboarding/domain/relink.ts'
import { note } from './audit.ts'
import { assertTenant, change, inSeconds, isPast, type SessionRow, type Store } from './tables.ts'

export function memoryConnectSessions(store: Store): Omit<ConnectSessions, 'recall'> {
  const { sessions, links } = store.tables
  const read = (row: SessionRow | undefined): ConnectSession | undefined => {
    if (!row) return undefined
    const { tokenDigest: _, ...session } = row
    const link = linkOf(store, row.id)
    const integration = row.integration ?? link?.integration
    const isPinned = isPinnedRow(store, row)
    return { ...session, integration, linkId: link?.id, isPinned, expired: isPast(store, row.expiresAt) }
  }
  return {
    async create({ ttlSeconds, ...session }, tokenDigest, audit) {
      assertTenant(store, session.tenant)
      if (sessions.has(session.id)) throw new Error('a session with this id is there already')
      const times = { expiresAt: inSeconds(store, ttlSeconds), cancelledAt: undefined, createdAt: store.now() }
      sessions.set(session.id, { ...session, ...times, cause: undefined, tokenDigest })
      note(store, audit)
      return read(sessions.get(session.id)) as ConnectSession
    },
    byToken: async (digest) => read([...sessions.values()].find(({ tokenDigest }) => tokenDigest === digest)),
    find: async (id) => read(sessions.get(id)),
    async archiveFailedLink({ id, linkId }, archiveId) {
      const row = sessions.get(id)
      if (!row) return
      const archived = { tokenDigest: `aside:${archiveId}`, completionChallenge: undefined, cancelledAt: store.now() }
      sessions.set(archiveId, { ...row, id: archiveId, ...archived })
      const link = linkId === undefined ? undefined : links.get(linkId)
      if (link?.sessionId === id) change(links, link.id, { sessionId: archiveId })
    },
    async cancel(id, audit) {
      const row = sessions.get(id)
      if (!row || row.cancelledAt || !mayBeStarted(store, row)) return false
      change(sessions, id, { cancelledAt: store.now() })
      note(store, audit)
      return true
    },
    async noteCause(id, cause) {
      change(sessions, id, { cause })
    },
  } satisfies Partial<ConnectSessions> as Omit<ConnectSessions, 'recall'>
}

export const linkOf = ({ tables }: Pick<Store, 'tables'>, sessionId: string) =>
  [...tables.links.values()].find((link) => link.sessionId === sessionId)

export const isOpenSession = (store: Store, session: SessionRow): boolean =>
  !session.cancelledAt && !isPast(store, session.expiresAt) && mayBeStarted(store, session)

export function mayBeStarted(store: Store, session: SessionRow): boolean {
  const link = linkOf(store, session.id)
  return !link || mayStartAgain({ isPinned: isPinnedRow(store, session) }, link)
}

function isPinnedRow({ tables }: Store, { connectionId, allowOtherAccount }: SessionRow): boolean {
  const connection = connectionId === undefined ? undefined : tables.connections.get(connectionId)
  return connection !== undefined && isPinned(connection, allowOtherAccount)
}

import { expiringValues } from '../../adapters/memory/expiring-values.ts'
import type { ConnectSession } from '../../domain/connect-session.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import type { Clock } from '../../domain/ports/shared.ts'

const memory = { seconds: 10 * 60, capacity: 5_000 }

/** A session does not change, except that it is started, cancelled or expires: the statement that writes a link checks these. */
export function rememberedSessions(sessions: Omit<ConnectSessions, 'recall'>, now: Clock): ConnectSessions {
  const shown = expiringValues<ConnectSession>(now, memory.capacity)
  return {
    ...sessions,
    async byToken(tokenDigest) {
      const session = await sessions.byToken(tokenDigest)
      if (session && !session.linkId) shown.set(tokenDigest, session, memory.seconds)
      return session
    },
    recall: shown.take,
  }
}

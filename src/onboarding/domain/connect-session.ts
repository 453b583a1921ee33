import { Failure } from './failure.ts'
import type { EndUser } from './link.ts'

/** A short-lived permission for one browser to link one integration to one tenant. */
export type ConnectSession = {
  id: string
  tenant: string
  integration: string
  endUser: EndUser
  returnUrl: string
  completionChallenge: string | undefined
  expiresAt: Date
  cancelledAt: Date | undefined
  createdAt: Date
  linkId: string | undefined
}

/** Unknown, expired, cancelled and used read the same, so that guessing teaches nothing. */
export const connectEnded = () =>
  new Failure('connect_ended', 'This link has ended: it was used, it expired, or it was withdrawn.')

export function openSession<S extends ConnectSession>(session: S | undefined, now: Date): S {
  if (!session || session.cancelledAt || session.expiresAt <= now) throw connectEnded()
  return session
}

export type SessionStatus = 'open' | 'started' | 'expired' | 'cancelled'

export function sessionStatus(session: ConnectSession, now: Date): SessionStatus {
  if (session.cancelledAt) return 'cancelled'
  if (session.linkId) return 'started'
  return session.expiresAt <= now ? 'expired' : 'open'
}

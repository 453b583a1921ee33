// A manage session lets one user look after their connections on a page of ours, without a login of ours.
import type { EndUser } from '../link.ts'

export type ManageSession = {
  id: string
  tenant: string
  endUser: EndUser
  /** Where the user goes from the page; none: the page has no way back. */
  returnUrl: string | undefined
  /** SHA-256 of the cookie of the browser that opened it; undefined until one did. */
  browser: string | undefined
  expiresAt: Date
  /** By the store's clock, when it was read. */
  expired: boolean
  revokedAt: Date | undefined
  createdAt: Date
}

export const usualManageSeconds = 30 * 60
export const longestManageSeconds = 60 * 60

/** The address is for a redirect at once: what lies in a log or a mailbox for longer opens nothing any more. */
export const openWithinSeconds = 5 * 60

export const manageStatuses = ['created', 'opened', 'expired', 'revoked'] as const
export type ManageStatus = (typeof manageStatuses)[number]

export function manageStatus({ revokedAt, expired, browser }: ManageSession): ManageStatus {
  if (revokedAt) return 'revoked'
  if (expired) return 'expired'
  return browser === undefined ? 'created' : 'opened'
}

/** Whether one of the browser's cookies is the one that opened it. */
export const isManagedBy = (session: ManageSession, browsers: readonly string[]): boolean =>
  manageStatus(session) === 'opened' && browsers.includes(session.browser ?? '')

export const manageRefusals = ['token_unknown', 'token_withdrawn', 'token_used', 'token_expired'] as const
export type ManageRefusal = (typeof manageRefusals)[number]

/** Why a browser may not open it, for the record only. What nobody opened in its five minutes has expired as well. */
export function manageRefusal(session: ManageSession | undefined): ManageRefusal {
  if (!session) return 'token_unknown'
  if (session.revokedAt) return 'token_withdrawn'
  if (session.expired || session.browser === undefined) return 'token_expired'
  return 'token_used'
}

/** The page of a session; the session that the browser's cookie opened is no secret, so its id may stand in an address. */
export const managePath = (id: string): string => `/manage/${id}`

/** Only we make sessions that return there, and only for the browser that has the page open. */
export const isManagePage = (url: string, publicUrl: string): boolean =>
  url.startsWith(`${publicUrl}${managePath('mng_')}`)

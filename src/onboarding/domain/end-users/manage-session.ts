import type { EndUser } from '../link.ts'

export type ManageSession = {
  id: string
  tenant: string
  endUser: EndUser
  returnUrl: string | undefined
  browser: string | undefined
  expiresAt: Date
  expired: boolean
  revokedAt: Date | undefined
  createdAt: Date
}

export const usualManageSeconds = 30 * 60
export const maxManageSeconds = 60 * 60

/** The URL is for an immediate redirect, so copies in logs and mailboxes expire quickly. */
export const openWithinSeconds = 5 * 60

export const manageStatuses = ['created', 'opened', 'expired', 'revoked'] as const
type ManageStatus = (typeof manageStatuses)[number]

export function manageStatus({ revokedAt, expired, browser }: ManageSession): ManageStatus {
  if (revokedAt) return 'revoked'
  if (expired) return 'expired'
  return browser === undefined ? 'created' : 'opened'
}

export const isManagedBy = (session: ManageSession, browsers: readonly string[]): boolean =>
  manageStatus(session) === 'opened' && browsers.includes(session.browser ?? '')

export const manageRefusals = ['token_unknown', 'token_withdrawn', 'token_used', 'token_expired'] as const
type ManageRefusal = (typeof manageRefusals)[number]

/** For the audit only. A session that was not opened within five minutes has expired. */
export function manageRefusal(session: ManageSession | undefined): ManageRefusal {
  if (!session) return 'token_unknown'
  if (session.revokedAt) return 'token_withdrawn'
  if (session.expired || session.browser === undefined) return 'token_expired'
  return 'token_used'
}

/** The ID is not a secret: the cookie authenticates the browser. */
export const managePath = (id: string): string => `/manage/${id}`

/** Only we create sessions that return there, for the browser that has the page open. */
export const isManagePage = (url: string, publicUrl: string): boolean =>
  url.startsWith(`${publicUrl}${managePath('mng_')}`)

// What a new grant must be before it may take the place of the one in use.
import type { Connection } from './connection.ts'
import type { Link, UpstreamAccount } from './link.ts'
import { identityScopes } from './scopes.ts'

/** A connection belongs to one account at the third party. Where no account was ever known, nothing can be compared. */
export function isSameAccount(connection: Pick<Connection, 'account'>, granted: UpstreamAccount | undefined): boolean {
  return connection.account === undefined || connection.account.id === granted?.id
}

/** Whether the account is what keeps an address that reached the wrong person from bringing their account in. */
export const isPinned = (connection: Pick<Connection, 'account'>, allowOtherAccount: boolean): boolean =>
  connection.account !== undefined && !allowOtherAccount

/** Scopes the connection has that the new grant lacks. An answer without a list granted what was asked. */
export function lostScopes(connection: Pick<Connection, 'scopes'>, granted: readonly string[] | undefined): string[] {
  if (!granted) return []
  return connection.scopes.filter((scope) => !identityScopes.has(scope) && !granted.includes(scope))
}

/** What an earlier re-link holds is older than what the connection has by now. */
export const isOvertaken = ({ updatedAt }: Pick<Link, 'updatedAt'>, relinkedAt: Date | undefined): boolean =>
  relinkedAt !== undefined && relinkedAt > updatedAt

/**
 * Whether what a link that stopped holds can go without harm. From `tested` on, the grant of a re-link may be the one
 * that the platform uses: a request of it may have been done and its answer lost.
 */
export const isUnused = (link: Pick<Link, 'relink' | 'resumeFrom' | 'updatedAt'>, relinkedAt: Date | undefined) =>
  !link.relink || ['escrowed', 'testing', 'revoking'].includes(link.resumeFrom ?? '') || isOvertaken(link, relinkedAt)

/** A link to mend a connection may wait in somebody's mailbox. */
export const longestRelinkSeconds = 7 * 24 * 60 * 60

/** Where neither an account nor a tenant's server says who may use it, an address must not lie about for long. */
export const longestUnpinnedSeconds = 24 * 60 * 60

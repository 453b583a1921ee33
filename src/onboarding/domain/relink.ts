import type { Connection } from './connection.ts'
import type { Link, UpstreamAccount } from './link.ts'
import { identityScopes } from './scopes.ts'

export function isSameAccount(
  connection: Partial<Pick<Connection, 'account'>>,
  granted: UpstreamAccount | undefined,
): boolean {
  return connection.account === undefined || connection.account.id === granted?.id
}

/** A pinned account prevents a misdirected URL from linking another person's account. */
export const isPinned = (connection: Pick<Connection, 'account'>, allowOtherAccount: boolean): boolean =>
  connection.account !== undefined && !connection.account.claimed && !allowOtherAccount

/** A response without scopes granted the requested ones. A scope that the integration no longer allows is not lost. */
export function lostScopes(
  connection: Pick<Connection, 'scopes'>,
  granted: readonly string[] | undefined,
  allowed: (scope: string) => boolean,
): string[] {
  if (!granted) return []
  return connection.scopes.filter((scope) => !identityScopes.has(scope) && allowed(scope) && !granted.includes(scope))
}

export const isOvertaken = ({ updatedAt }: Pick<Link, 'updatedAt'>, relinkedAt: Date | undefined): boolean =>
  relinkedAt !== undefined && relinkedAt > updatedAt

/** From `tested` on the platform may use the new grant: a request may have succeeded although its response was lost. */
export const isUnused = (link: Pick<Link, 'kind' | 'resumeFrom' | 'updatedAt'>, relinkedAt: Date | undefined) =>
  link.kind !== 'relink' ||
  ['escrowed', 'testing', 'revoking'].includes(link.resumeFrom ?? '') ||
  isOvertaken(link, relinkedAt)

export const maxRelinkSeconds = 7 * 24 * 60 * 60

/** Shorter if neither an account nor the tenant's server restricts who may use the URL. */
export const maxUnpinnedSeconds = 24 * 60 * 60

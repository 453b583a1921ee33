// Words and formats that several pages of the console share.
import type { Connection, ConnectionStatus } from '../../../domain/connection.ts'
import { type Link, type LinkState, type LinkStatus, statusOf } from '../../../domain/link.ts'

/** For text from outside: truncated, with invisible and direction-changing characters escaped. */
export function shown(text: string, most = 200): string {
  const visible = text.replace(hidden, (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
  return visible.length > most ? `${visible.slice(0, most - 1)}…` : visible
}

// Control characters, and those of Unicode's classes Cf, Zl and Zp: zero width, direction and line marks.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Of a locale that exists; of anything else, the text itself. */
export function languageName(locale: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(locale) ?? locale
  } catch {
    return shown(locale, 40)
  }
}

export const formatTime = (at: Date) => ({
  iso: at.toISOString(),
  text: `${at.toISOString().slice(0, 10)} ${at.toISOString().slice(11, 19)}`,
})

export function ago(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, ms)} ms`
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`
  return ago(new Date(0), new Date(ms))
}

const statusWords: Record<ConnectionStatus, string> = {
  active: 'Active',
  needs_relink: 'Reconnect needed',
  disconnected: 'Disconnected',
}

const statusBadges: Record<ConnectionStatus, string> = {
  active: 'linked',
  needs_relink: 'needs_attention',
  disconnected: 'none',
}

export const connectionBadge = ({ status }: Pick<Connection, 'status'>) => ({
  status: statusBadges[status],
  label: statusWords[status],
})

const linkWords: Record<LinkStatus, string> = {
  pending: 'In progress',
  linked: 'Linked',
  cancelled: 'Cancelled',
  denied: 'Denied',
  abandoned: 'Not completed',
  failed: 'Failed',
  needs_attention: 'Needs attention',
}

export function linkBadge({ state }: Pick<Link, 'state'>) {
  const status = statusOf(state)
  return { status: status === 'abandoned' || status === 'cancelled' ? 'none' : status, label: linkWords[status] }
}

/** Returns undefined if no step of the link has failed. */
export function retryWords({ attempts, nextAttemptAt }: Pick<Link, 'attempts' | 'nextAttemptAt'>, now: Date) {
  if (attempts === 0) return undefined
  return {
    attempts: attempts === 1 ? '1 attempt' : `${attempts} attempts`,
    next: nextAttemptAt ? `next attempt ${nextAttempt(nextAttemptAt, now)}` : 'running now',
  }
}

/** A link that is due is claimed within seconds. */
export const nextAttempt = (at: Date | undefined, now: Date): string =>
  !at ? 'running now' : at > now ? `in ${ago(now, at)}` : 'due now'

/** Link states, for filters and steps. The timeline uses them, too, where it has no more to say. */
export const stateWords: Record<LinkState, string> = {
  authorizing: 'Waiting for consent at the app',
  code_waiting: 'Waiting for the tenant',
  exchanging: 'Token requested',
  escrowed: 'Grant received',
  testing: 'Testing the new grant',
  tested: 'New grant works',
  connection_ready: 'Connection created on the platform',
  function_ready: 'Function created on the platform',
  verified: 'Verified',
  rolling_back: 'Rolling back to the previous grant',
  revoking: 'Revoking the grant',
  linked: 'Linked',
  cancelled: 'Cancelled by the user',
  denied: 'Denied by the user',
  abandoned: 'Not completed',
  failed: 'Failed',
  exchange_unknown: 'No response to the token request',
  needs_attention: 'Needs attention',
}

/** Why a list must be empty, if that can be told from its filter. */
export const emptyAdvice = ({ from, to }: Record<string, string | undefined>): string | undefined =>
  from && to && from > to ? 'The first day is after the last one. Swap the two.' : undefined

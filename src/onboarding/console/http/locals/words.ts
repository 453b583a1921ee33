// How the console says things that stand on many of its pages.
import { type Cause, causes, type WhoseMove } from '../../../domain/cause.ts'
import type { Connection, ConnectionStatus } from '../../../domain/connection.ts'
import { type Link, type LinkState, type LinkStatus, statusOf } from '../../../domain/link.ts'

/** Whatever came from outside: cut, and with nothing in it that cannot be seen or turns the line around. */
export function shown(text: string, most = 200): string {
  const visible = text.replace(hidden, (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
  return visible.length > most ? `${visible.slice(0, most - 1)}…` : visible
}

// Control characters, and those of Unicode's classes Cf, Zl and Zp: zero width, direction and line marks.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export const moment = (at: Date) => ({
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

const moveWords: Record<WhoseMove, string> = {
  user: 'The user’s move',
  tenant: 'The tenant’s move',
  support: 'Your move',
  provider: 'The app’s move',
  platform: 'The platform’s move',
}

/** Where it is support's move, the words for users tell them to wait for support; here support wants to know what to do. */
const supportAdvice: Partial<Record<Cause, string>> = {
  relink_rolled_back:
    'Everything was put back as it was. Find out why the function refused the new grant before the user tries again.',
  platform_refused: 'The grant is kept safe. Find out what the platform refused, mend that, and resume the link.',
  name_taken: 'Something that is not ours has this name. Rename or remove it there, and resume the link.',
  integration_removed:
    'Put the integration or its OAuth client back. A link that needs attention kept its grant, and is resumed then; one that failed has none, and the user starts again.',
  worker_crashed:
    'Workers ended while they worked on it. See in the logs of that time why, and have it mended before you resume the link.',
  function_failed: 'The grant is kept safe. See on the platform why the function does not start, and resume the link.',
}

export const causeWords = (cause: Cause) => ({
  code: cause,
  title: causes[cause].title,
  advice: supportAdvice[cause] ?? causes[cause].advice,
  move: moveWords[causes[cause].whoseMove],
  yours: causes[cause].whoseMove === 'support',
})

export const causeChoices = (Object.keys(causes) as Cause[]).map((code) => ({ code, title: causes[code].title }))

const statusWords: Record<ConnectionStatus, string> = {
  active: 'Works',
  needs_relink: 'Needs a re-link',
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
  pending: 'Under way',
  linked: 'Linked',
  denied: 'Denied',
  abandoned: 'Not finished',
  failed: 'Failed',
  needs_attention: 'Needs attention',
}

export function linkBadge({ state }: Pick<Link, 'state'>) {
  const status = statusOf(state)
  return { status: status === 'abandoned' ? 'none' : status, label: linkWords[status] }
}

/** Of a link whose step was tried in vain: how often, and when it is tried again. */
export function retryWords({ attempts, nextTryAt }: Pick<Link, 'attempts' | 'nextTryAt'>, now: Date) {
  if (attempts === 0) return undefined
  return { tries: attempts === 1 ? 'tried once' : `tried ${attempts} times`, next: nextTryWords(nextTryAt, now) }
}

/** Who is due is taken up within seconds. */
export const nextTryWords = (at: Date | undefined, now: Date): string =>
  !at ? 'being tried now' : at > now ? `next try in ${ago(now, at)}` : 'next try now'

/** How a link is, to choose by; a line on record says the same unless it has more to tell. */
export const stateWords: Record<LinkState, string> = {
  authorizing: 'At the app, for consent',
  code_waiting: 'Waiting for the tenant',
  exchanging: 'Token requested',
  escrowed: 'Grant received',
  testing: 'New grant is tried',
  tested: 'New grant works',
  connection_ready: 'Connection is on the platform',
  function_ready: 'Function is on the platform',
  verified: 'Verified',
  rolling_back: 'Going back to the grant before',
  revoking: 'Grant is given back',
  linked: 'Linked',
  denied: 'Denied by the user',
  abandoned: 'Not finished',
  failed: 'Failed',
  exchange_unknown: 'No answer to the token request',
  needs_attention: 'Needs attention',
}

import { type Cause, causeCodes } from '../../../domain/cause.ts'
import type { TimelineEntry } from '../../../domain/ports/provisioning.ts'
import type { LinkTimeline } from '../../../domain/ports/support-ledger.ts'
import { causeWords, duration, formatTime, linkBadge, retryWords, shown, stateWords } from './words.ts'

/** What each line on record means to a person, where it is more than that the link came to a state. */
const stepWords: Record<string, string> = {
  'session.minted': 'Connect session created',
  'relink.minted': 'Reconnect link created',
  'connect.rejected': 'Start rejected',
  'link.started': 'Opened and sent to the app for consent',
  'link.authorizing': 'Sent to the app for consent again',
  'link.code_waiting': 'Callback: consent given, waiting for the tenant',
  'link.exchanging': 'Exchange: token requested',
  'link.escrowed': 'Exchange: grant received and sealed',
  'link.verified': 'Verified: the function responded over MCP',
  'link.revoking': 'Failed: revoking the grant',
  'link.needs_attention': 'Stopped: needs attention',
  'link.resumed': 'Resumed',
  'callback.replayed': 'Callback received again',
  'callback.rejected': 'Callback rejected',
}

const wordsFor = (action: string): string =>
  stepWords[action] ?? (stateWords as Record<string, string>)[action.replace(/^link\./, '')] ?? action

const reasonWords: Record<string, string> = { shared_client: 'with a shared OAuth client' }

const badEnds = [
  'denied',
  'failed',
  'exchange_unknown',
  'needs_attention',
  'abandoned',
  'rejected',
  'rolling_back',
  'revoking',
]

export function timelineLocals({ link, entries }: LinkTimeline, now: Date) {
  const started = entries[0]?.at ?? link.createdAt
  return {
    id: link.id,
    href: `/support/links/${link.id}`,
    kind: link.relink ? 'Re-link' : 'Link',
    badge: linkBadge(link),
    started: formatTime(started),
    took: duration((entries.at(-1)?.at ?? started).getTime() - started.getTime()),
    user: shown(link.endUser.email ?? link.endUser.displayName ?? link.endUser.id, 80),
    cause: link.cause ? causeWords(link.cause) : undefined,
    isHalfMade: !link.relink && (link.resumeFrom ?? link.state) === 'connection_ready',
    missingScopes: link.missingScopes,
    isResumable: link.state === 'needs_attention' && link.resumeFrom !== undefined,
    resumeFrom: link.resumeFrom?.replaceAll('_', ' '),
    step: stateWords[link.resumeFrom ?? link.state],
    retry: retryWords(link, now),
    isWaiting: link.nextTryAt !== undefined,
    steps: entries.map((each, at) => stepLocals(each, entries[at - 1])),
  }
}

function stepLocals({ at, action, reason, requestId }: TimelineEntry, before: TimelineEntry | undefined) {
  const failed = badEnds.some((end) => action.endsWith(`.${end}`))
  const cause = isCause(reason) ? causeWords(reason).title : undefined
  return {
    at: formatTime(at),
    label: isCallback(action, before) ? callbackWords : wordsFor(action),
    detail: cause ?? (reason && reasonDetail(reason)),
    took: before ? `+${duration(at.getTime() - before.at.getTime())}` : '',
    state: failed ? 'failed' : action === 'link.linked' ? 'done' : 'passed',
    requestId,
  }
}

/** Where nobody has to complete a link, the code is not held: the callback is the request that exchanges it. */
const isCallback = (action: string, before: TimelineEntry | undefined) =>
  action === 'link.exchanging' && before?.action !== 'link.code_waiting'
const callbackWords = 'Callback: consent given; exchange: token requested'

const reasonDetail = (reason: string): string =>
  reasonWords[reason] ?? shown(reason.replace(/^scope_wider: /, 'more was granted than requested, '))

const isCause = (text: string | undefined): text is Cause => (causeCodes as readonly string[]).includes(text ?? '')

import type { AuditAction } from '../../../domain/audit/audit-actions.ts'
import type { WrittenEntry } from '../../../domain/audit/audit-entry.ts'
import { type Link, linkStateTable } from '../../../domain/link.ts'
import type { LinkTimeline } from '../../../domain/ports/support-ledger.ts'
import { isUnused } from '../../../domain/relink.ts'
import { actionWords, factsShown } from './audit-words.ts'
import { causeWords } from './cause-words.ts'
import { duration, formatTime, linkBadge, retryWords, shown } from './words.ts'

const badEnds: ReadonlySet<AuditAction> = new Set<AuditAction>([
  'connect.rejected',
  'callback.rejected',
  'completion.rejected',
  'return_url.rejected',
  'link.cancelled',
  'link.denied',
  'link.failed',
  'link.exchange_unknown',
  'link.needs_attention',
  'link.abandoned',
  'link.rolling_back',
  'link.revoking',
])

export function timelineLocals({ link, entries: written }: LinkTimeline, now: Date) {
  const entries = withReceipts(written, link)
  const started = entries[0]?.at ?? link.createdAt
  return {
    id: link.id,
    href: `/support/links/${link.id}`,
    kind: link.kind === 'relink' ? 'Re-link' : 'Link',
    badge: linkBadge(link),
    started: formatTime(started),
    took: duration((entries.at(-1)?.at ?? started).getTime() - started.getTime()),
    user: shown(link.endUser.email ?? link.endUser.displayName ?? link.endUser.id, 80),
    cause: link.cause ? causeWords(link.cause) : undefined,
    isHalfMade: link.kind !== 'relink' && (link.resumeFrom ?? link.state) === 'connection_ready',
    doesNotRun: link.cause === 'function_failed',
    missingScopes: link.missingScopes,
    isResumable: link.state === 'needs_attention' && link.resumeFrom !== undefined,
    // False if the grant may be in use.
    isEndable: link.state === 'needs_attention' && isUnused(link, undefined),
    resumeFrom: link.resumeFrom && linkStateTable[link.resumeFrom].label,
    outcome: link.state === 'linked' ? 'Linked. No action needed.' : `${linkStateTable[link.state].label}.`,
    step:
      link.cause === 'function_failed' ? 'Starting the function' : linkStateTable[link.resumeFrom ?? link.state].label,
    retry: retryWords(link, now),
    isWaiting: link.nextAttemptAt !== undefined,
    steps: entries.map((each, at) => stepLocals(each, entries[at - 1], isCancelledAtOnce(each, entries))),
  }
}

/** The receipt of a token response has no entry: the next one has its time, and until then the link. */
function withReceipts(written: readonly WrittenEntry[], { receivedAt }: Link): WrittenEntry[] {
  const receipt = (at: Date, near: WrittenEntry): WrittenEntry => ({
    ...near,
    action: 'link.escrowed',
    facts: {},
    at,
    reason: undefined,
    before: undefined,
    after: undefined,
  })
  const last = written.at(-1)
  const pending = last && receivedAt ? [receipt(receivedAt, { ...last, requestId: undefined })] : []
  const told = written.flatMap((entry) =>
    'receivedAt' in entry.facts && entry.facts.receivedAt
      ? [receipt(new Date(entry.facts.receivedAt), entry), entry]
      : [entry],
  )
  return [...told, ...pending].sort((one, other) => one.at.getTime() - other.at.getTime())
}

/** Cancel on the connect page opens a link and ends it in one request; the user was never sent to the app. */
const isCancelledAtOnce = ({ action, requestId }: WrittenEntry, entries: readonly WrittenEntry[]): boolean =>
  action === 'link.started' &&
  entries.some((other) => other.action === 'link.cancelled' && other.requestId === requestId)

function stepLocals(entry: WrittenEntry, before: WrittenEntry | undefined, isCancelled: boolean) {
  return {
    at: formatTime(entry.at),
    label: isCancelled ? actionWords(entry.action) : stepWords(entry),
    detail: detailOf(entry),
    took: before ? `+${duration(entry.at.getTime() - before.at.getTime())}` : '',
    state: badEnds.has(entry.action) ? 'failed' : entry.action === 'link.linked' ? 'done' : 'passed',
    requestId: entry.requestId,
  }
}

/** Facts that the text of a step already contains. */
const saidInText: readonly string[] = ['following', 'verified', 'receivedAt']

function detailOf(entry: WrittenEntry): string | undefined {
  const facts = factsShown(entry).filter(({ fact }) => !saidInText.includes(fact))
  const texts = facts.map(({ fact, name, value }) => (fact === 'cause' ? value : `${name}: ${value}`))
  if (entry.reason !== undefined) texts.push(shown(entry.reason))
  return texts.length > 0 ? texts.join('; ') : undefined
}

/** Steps that happened together have one entry, and its facts say so. */
function stepWords(entry: WrittenEntry): string {
  switch (entry.action) {
    case 'link.started':
      return 'Opened and sent to the app for consent'
    case 'link.exchanging':
      // If no completion is required, the callback request exchanges the code.
      return entry.facts.following === 'callback' ? 'Consent given and token requested' : actionWords(entry.action)
    case 'link.function_ready':
      return entry.facts.functionMs === undefined
        ? actionWords(entry.action)
        : 'Connection and function created on the platform'
    case 'link.linked':
      return entry.facts.verified ? 'Linked, and the function responded over MCP' : actionWords(entry.action)
    default:
      return actionWords(entry.action)
  }
}

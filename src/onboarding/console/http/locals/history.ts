// One list of what happened to a connection: its links, health checks and changes, newest first.
import type { Actor } from '../../../domain/audit/audit.ts'
import type { AuditAction } from '../../../domain/audit/audit-actions.ts'
import type { HealthCheck, HealthOutcome } from '../../../domain/health/health.ts'
import { statusOf } from '../../../domain/link.ts'
import type { AuditLine, LinkTimeline } from '../../../domain/ports/support-ledger.ts'
import type { ConnectionDetails } from '../../flows/read-support.ts'
import { changesOf } from './audit.ts'
import { actionWords } from './audit-words.ts'
import { causeWords } from './cause-words.ts'
import { revocationWords } from './task.ts'
import { timelineLocals } from './timeline.ts'
import { ago, duration, formatTime, linkBadge, shown } from './words.ts'

type Tone = 'good' | 'bad' | 'plain'

type Event = {
  at: Date
  tone: Tone
  title: string
  detail?: string | undefined
  by?: string | undefined
  reason?: string | undefined
  changes?: ReturnType<typeof changesOf>
  timeline?: ReturnType<typeof timelineLocals>
  /** Consecutive events with the same key are one row. */
  sameAs?: string
}

type Happened = Pick<ConnectionDetails, 'timelines' | 'health' | 'audit'>

export function historyRows({ timelines, health, audit }: Happened, now: Date) {
  const checks = audit.filter(({ action }) => action === 'connection.checked')
  const events = [
    ...timelines.flatMap((timeline) => linkEvents(timeline, now)),
    ...health.map((check) => checkEvent(check, checks)),
    ...audit.filter((line) => !isSaidElsewhere(line, health)).map(auditEvent),
  ]
  const newestFirst = events.toSorted((one, other) => other.at.getTime() - one.at.getTime())
  return collapsed(newestFirst).map((row) => rowLocals(row, now))
}

const byWords: Record<Actor['kind'], string> = {
  worker: 'automatically',
  support: 'by support',
  operator: 'by the operator',
  api_key: 'by API',
  browser: 'by the user',
}

const actorWords = ({ kind, name }: Actor): string => (name ? `by ${shown(name, 80)}` : byWords[kind])

function linkEvents({ link, entries }: LinkTimeline, now: Date): Event[] {
  const timeline = timelineLocals({ link, entries }, now)
  const started = entries[0]?.at ?? link.createdAt
  const isRelink = link.kind === 'relink'
  const status = statusOf(link.state)
  const end: Event = {
    at: entries.at(-1)?.at ?? started,
    tone: status === 'linked' ? 'good' : status === 'failed' || status === 'needs_attention' ? 'bad' : 'plain',
    title: status === 'linked' ? (isRelink ? 'Reconnected' : 'Linked') : `${timeline.kind}: ${linkBadge(link).label}`,
    detail: timeline.cause?.title,
    by: `for ${timeline.user}`,
    timeline,
  }
  const opened: Event = { at: started, tone: 'plain', title: 'Reconnect link opened', by: byWords.browser }
  return isRelink ? [end, opened] : [end]
}

const outcomeWords: Record<HealthOutcome, { tone: Tone; title: string }> = {
  healthy: { tone: 'good', title: 'Healthy' },
  broken: { tone: 'bad', title: 'Broken' },
  unclear: { tone: 'plain', title: 'Check inconclusive' },
  untested: { tone: 'plain', title: 'Responds, access not tested' },
}

/** An entry of the audit log is written with the check it is about. */
const writtenTogetherMs = 5_000

const isTogether = (one: { at: Date }, other: { at: Date }): boolean =>
  Math.abs(one.at.getTime() - other.at.getTime()) < writtenTogetherMs

function checkEvent(check: HealthCheck, checks: readonly AuditLine[]): Event {
  const { at, outcome, cause, detail, durationMs, actorKind } = check
  const asked = checks.find((line) => isTogether(line, check) && line.actor.kind === actorKind)
  const by = asked ? actorWords(asked.actor) : byWords[actorKind]
  const reason = asked?.reason && shown(asked.reason)
  const found = cause && causeWords(cause).title + (detail ? ` (${shown(detail, 120)})` : '')
  const { tone, title } = outcomeWords[outcome]
  return {
    at,
    tone,
    title: found ? `${title}: ${found}` : title,
    by: `checked ${by}, took ${duration(durationMs)}`,
    reason,
    sameAs: [outcome, cause, detail, by, reason].join('|'),
  }
}

/** Links and checks have separate rows. */
function isSaidElsewhere(line: AuditLine, health: readonly HealthCheck[]): boolean {
  if (line.link !== undefined && line.action.startsWith('link.')) return true
  if (!foundByChecks.includes(line.action)) return false
  return health.some((check) => isTogether(check, line)) || line.action === 'connection.checked'
}

const foundByChecks: readonly AuditAction[] = ['connection.checked', 'connection.needs_relink', 'connection.recovered']

const titles: Partial<Record<AuditAction, { title: string; tone?: Tone }>> = {
  'session.cancelled': { title: 'Reconnect link cancelled' },
  'connection.needs_relink': { title: 'Broken', tone: 'bad' },
  'connection.recovered': { title: 'Works again', tone: 'good' },
  'disconnect.failed': { title: 'Disconnect failed', tone: 'bad' },
  'rollback.failed': { title: 'Rollback failed', tone: 'bad' },
  'connection.rolled_back': { title: 'Rolled back', tone: 'good' },
}

function auditEvent(line: AuditLine): Event {
  const { title, tone = 'plain' } = titles[line.action] ?? { title: actionWords(line.action) }
  return {
    at: line.at,
    tone,
    title,
    detail: detailOf(line),
    by: actorWords(line.actor),
    reason: line.reason && shown(line.reason),
    changes: changesOf(line),
  }
}

function detailOf(line: AuditLine): string | undefined {
  const { facts } = line
  if ('cause' in facts && facts.cause) return causeWords(facts.cause).title
  if ('revocation' in facts && facts.revocation) return revocationWords[facts.revocation]
  if (line.action === 'relink.minted' && line.facts.allowOtherAccount) return 'any account may be used'
  return undefined
}

type Row = Event & { count: number; first: Date }

function collapsed(newestFirst: readonly Event[]): Row[] {
  const rows: Row[] = []
  for (const event of newestFirst) {
    const above = rows.at(-1)
    if (above?.sameAs !== undefined && above.sameAs === event.sameAs) Object.assign(above, joined(above, event))
    else rows.push({ ...event, count: 1, first: event.at })
  }
  return rows
}

const joined = (above: Row, event: Event) => ({ count: above.count + 1, first: event.at })

const rowLocals = ({ at, count, first, title, by, ...row }: Row, now: Date) => ({
  detail: undefined,
  reason: undefined,
  changes: [],
  timeline: undefined,
  ...row,
  at: formatTime(at),
  since: `${ago(at, now)} ago`,
  title: count > 1 ? `${title} ×${count}` : title,
  about: [count > 1 ? `since ${ago(first, now)} ago` : undefined, by].filter(Boolean).join(', '),
})

import { csv } from '../../../../kit/http/csv.ts'
import type { AuditLine } from '../../../domain/ports/support-ledger.ts'
import { actionChoices, actionWords, factsShown, subjectWords } from './audit-words.ts'
import { emptyAdvice, formatTime, shown } from './words.ts'

type Filter = Record<string, string | undefined>

export const auditLocals = (lines: readonly AuditLine[], filter: Filter) => ({
  title: 'Audit log',
  filter,
  emptyAdvice: emptyAdvice(filter),
  actions: actionChoices,
  rows: lines.map(auditRow),
})

const actorWords: Record<AuditLine['actor']['kind'], string> = {
  browser: 'Browser',
  api_key: 'API key',
  worker: 'Causeway',
  operator: 'Operator',
  support: 'Support',
}

export const auditRow = (line: AuditLine) => ({
  at: formatTime(line.at),
  action: line.action,
  words: actionWords(line.action),
  subject: subjectOf(line),
  facts: factsShown(line),
  actor: actorWords[line.actor.kind],
  actorName: line.actor.name && shown(line.actor.name, 80),
  actorId: line.actor.id && shown(line.actor.id, 80),
  tenant: line.tenant,
  link: line.link,
  connection: line.connection,
  hasConnection: line.hasConnection,
  reason: line.reason && shown(line.reason),
  requestId: line.requestId,
  address: line.address,
  changes: changesOf(line),
  erasure: line.erasure,
})

/** What it is about, where no link beside it says so already. */
function subjectOf({ subject, tenant, link, connection }: AuditLine): string | undefined {
  if (!subject || [tenant, link, connection].includes(subject.id)) return undefined
  return `${subjectWords[subject.kind]} ${shown(subject.id, 120)}`
}

/** Only members that changed. An entry about work that has only begun has no `after` and shows no changes. */
export function changesOf({ before, after }: Pick<AuditLine, 'before' | 'after'>) {
  if (!after) return []
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])]
  const text = (value: unknown) => shown([value ?? '–'].flat().join(' ') || '–', 120)
  return names
    .map((name) => ({ name, before: text(before?.[name]), after: text(after[name]) }))
    .filter((change) => change.before !== change.after)
}

const columns = [
  'at',
  'action',
  'subjectKind',
  'subjectId',
  'facts',
  'actorKind',
  'actor',
  'actorName',
  'tenant',
  'link',
  'connection',
  'reason',
  'requestId',
  'address',
  'before',
  'after',
]

export const auditCsvHead = csv([columns])

export const auditCsv = (lines: readonly AuditLine[]): string =>
  csv(
    lines.map(({ at, action, subject, facts, actor, before, after, ...line }) => [
      at.toISOString(),
      action,
      ...[subject?.kind, subject?.id].map(orEmpty),
      JSON.stringify(facts),
      actor.kind,
      ...[actor.id, actor.name, line.tenant, line.link, line.connection].map(orEmpty),
      ...[line.reason, line.requestId, line.address].map(orEmpty),
      ...[before, after].map((snapshot) => (snapshot ? JSON.stringify(snapshot) : '')),
    ]),
  )

const orEmpty = (text: string | undefined) => text ?? ''

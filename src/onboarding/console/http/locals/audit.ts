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

/** Undefined if a link in the same row already shows it. */
function subjectOf({ subject, tenant, link, connection }: AuditLine): string | undefined {
  if (!subject || [tenant, link, connection].includes(subject.id)) return undefined
  return `${subjectWords[subject.kind]} ${shown(subject.id, 120)}`
}

/** Only changed members. An entry about work that has only begun has no `after`. */
export function changesOf({ before, after }: Pick<AuditLine, 'before' | 'after'>) {
  if (!after) return []
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])]
  const text = (value: unknown) => shown([value ?? '–'].flat().join(' ') || '–', 120)
  return names
    .map((name) => ({ name, before: text(before?.[name]), after: text(after[name]) }))
    .filter((change) => change.before !== change.after)
}

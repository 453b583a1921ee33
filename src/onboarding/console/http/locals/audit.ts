import type { AuditLine } from '../../../domain/ports/support-ledger.ts'
import { actionWords, actorWords, factLabel, factsShown, subjectWords, valueWords } from './audit-words.ts'
import {
  dateFields,
  type Filter,
  filterForm,
  filterOptions,
  type Suggested,
  selectField,
  sorted,
  tenantField,
  textField,
} from './lists/filters.ts'
import { ago, emptyAdvice, formatTime, shown } from './words.ts'

export const auditLocals = (lines: readonly AuditLine[], filter: Filter, suggested: Suggested, now: Date) => ({
  title: 'Audit log',
  emptyAdvice: emptyAdvice(filter),
  filters: filterForm({
    path: '/support/audit',
    main: [
      tenantField(filter.tenant, suggested),
      textField('actor', filter.actor, 'Email address or ID'),
      selectField('action', filter.action, sorted(filterOptions.action)),
    ],
    more: [
      textField('connection', filter.connection, 'con_…'),
      textField('link', filter.link, 'lnk_…'),
      textField('requestId', filter.requestId, 'req_…'),
      ...dateFields(filter),
    ],
  }),
  rows: lines.map((line) => auditRow(line, now)),
})

export const auditRow = (line: AuditLine, now: Date) => ({
  at: formatTime(line.at),
  since: ago(line.at, now),
  // The words of link actions have no noun: the page of a link needs none.
  words: line.action.startsWith('link.') ? `Link: ${actionWords(line.action)}` : actionWords(line.action),
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
  const text = (name: string, value: unknown) => shown(valueWords(name, value ?? '–') || '–', 120)
  return names
    .map((name) => ({ name: factLabel(name), before: text(name, before?.[name]), after: text(name, after[name]) }))
    .filter((change) => change.before !== change.after)
}

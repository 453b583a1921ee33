import { type Finding, type HealthCheck, maxHealthChecks } from '../../../src/onboarding/domain/health/health.ts'
import type { HealthCheckDraft, HealthChecks } from '../../../src/onboarding/domain/ports/connections.ts'
import { note, withAfter } from './audit.ts'
import { toConnection } from './connections.ts'
import { oneSuspectOrOthers } from './fair-turns.ts'
import { announce } from './outbox.ts'
import { byTime, type ConnectionRow, change, inSeconds, isPast, type Store, turnedTo } from './tables.ts'

export function memoryHealthChecks(store: Store, leaseSeconds = 60): HealthChecks {
  const { connections } = store.tables
  let last = 0
  return {
    async claimDue(limit) {
      const due = [...connections.values()].filter(({ healthDueAt }) => isPast(store, healthDueAt))
      const free = due.sort(byTime(({ healthDueAt }) => healthDueAt)).slice(0, limit)
      return oneSuspectOrOthers(free, ({ healthClaims }) => healthClaims > 0).map((row) => {
        const claims = row.healthClaims + 1
        change(connections, row.id, { healthDueAt: inSeconds(store, leaseSeconds), healthClaims: claims })
        return { ...toConnection(row), claims }
      })
    },
    async record(checked) {
      const { connection, finding, durationMs, actorKind } = checked
      const known = connections.get(connection.id)
      if (!known) throw new Error('a check is of a connection that is there')
      const { outcome, cause, detail } = finding
      const about = { connectionId: known.id, at: store.now(), outcome, cause, detail }
      const check = { id: ++last, ...about, durationMs, actorKind }
      keep(store, check)
      const touched = touch(store, known, checked)
      if (touched.status !== known.status) {
        note(store, checked.news)
        if (touched.status === 'needs_relink') announce(store, known.tenant, checked.event)
      }
      if (checked.unknown && !known.healthUnknownSince && touched.healthUnknownSince) {
        note(store, checked.unknown.news)
        announce(store, known.tenant, checked.unknown.event)
      }
      if (checked.asked) {
        note(store, withAfter(checked.asked, { status: touched.status, cause: touched.cause ?? null }))
      }
      return check
    },
    async warnOfEnd({ connection, endsAt, audit, event }) {
      const known = connections.get(connection.id)
      const isOfThisGrant = known?.grantVersion === connection.grantVersion
      if (!known || !isOfThisGrant || known.grantEndsAt || known.status !== 'active') return false
      change(connections, known.id, { grantEndsAt: endsAt })
      note(store, audit)
      announce(store, known.tenant, event)
      return true
    },
    // Daily counts exist only in PostgreSQL: only the support ledger reads them.
    forgetOldDays: async () => undefined,
    history: async (connectionId) =>
      store.tables.healthChecks.filter((check) => check.connectionId === connectionId).reverse(),
  } satisfies Partial<HealthChecks> as HealthChecks
}

function keep({ tables }: Store, check: HealthCheck): void {
  const others = tables.healthChecks.filter(({ connectionId }) => connectionId !== check.connectionId)
  const own = tables.healthChecks.filter(({ connectionId }) => connectionId === check.connectionId)
  tables.healthChecks = [...others, ...[...own, check].slice(-maxHealthChecks)]
}

/** Ignores the result if the grant was replaced since the check. */
function touch(
  store: Store,
  known: ConnectionRow,
  { connection, finding, nextInSeconds, unknown }: HealthCheckDraft,
): ConnectionRow {
  const isOfThisGrant = known.grantVersion === connection.grantVersion
  const turned = isOfThisGrant ? turnedBy(store, known, finding) : {}
  const isNews = 'status' in turned && turned.status !== known.status
  return change(store.tables.connections, known.id, {
    ...turned,
    ...(isOfThisGrant ? counted(store, known, finding, unknown !== undefined) : {}),
    checkedAt: store.now(),
    healthClaims: 0,
    healthDueAt: known.status === 'disconnected' ? undefined : inSeconds(store, nextInSeconds),
    updatedAt: isNews ? store.now() : known.updatedAt,
  }) as ConnectionRow
}

function counted(
  { now }: Store,
  known: ConnectionRow,
  { outcome, isUnexplained }: Finding,
  isUnknown: boolean,
): Partial<ConnectionRow> {
  if (outcome === 'untested') return {}
  if (outcome === 'healthy') return judged
  const unexplainedRefusals = known.unexplainedRefusals + (isUnexplained ? 1 : 0)
  if (outcome === 'broken') return { ...judged, unexplainedRefusals }
  const unclearSince = known.unclearSince ?? now()
  return {
    unclearSince,
    unclearChecks: known.unclearChecks + 1,
    unexplainedRefusals,
    healthUnknownSince: known.healthUnknownSince ?? (isUnknown ? unclearSince : undefined),
  }
}

export const judged = {
  unclearSince: undefined,
  unclearChecks: 0,
  unexplainedRefusals: 0,
  healthUnknownSince: undefined,
}

function turnedBy(store: Store, known: ConnectionRow, { outcome, cause }: Finding): Partial<ConnectionRow> {
  const { status } = known
  if (outcome === 'broken' && status !== 'disconnected') return { ...turnedTo(store, known, 'needs_relink'), cause }
  if (outcome === 'healthy' && status === 'needs_relink') {
    return { ...turnedTo(store, known, 'active'), cause: undefined }
  }
  return {}
}

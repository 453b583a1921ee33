import { type ImportRow, importCancelled, noRows, rowStatusOf } from '../../../src/onboarding/domain/imports/import.ts'
import type { CheckedRow, Imports, TakenRow } from '../../../src/onboarding/domain/ports/imports.ts'
import { isInSight } from '../../../src/onboarding/domain/tenant.ts'
import { note } from './audit.ts'
import { rowName } from './import-rows.ts'
import { newestFirst } from './pages.ts'
import { assertTenant, change, type ImportRowRow, type Store } from './tables.ts'

export function memoryImports(store: Store): Imports {
  const { imports, importRows } = store.tables
  const rowsOf = (id: string) =>
    [...importRows.values()].filter(({ importId }) => importId === id).sort((a, b) => a.position - b.position)
  return {
    async create({ id, tenant, name }, audit) {
      assertTenant(store, tenant)
      const made = { id, tenant, name, createdAt: store.now(), cancelledAt: undefined }
      imports.set(id, made)
      note(store, audit)
      return made
    },
    find: async (id) => imports.get(id),
    list: async ({ tenant, testMode, ...page }) =>
      newestFirst(
        [...imports.values()].filter((row) => isInSight({ tenant, testMode }, row.tenant)),
        page,
      ),
    async counts(id) {
      const byStatus = noRows()
      const byCause: Record<string, number> = {}
      for (const row of rowsOf(id).map((each) => read(store, each))) {
        const status = rowStatusOf(row)
        byStatus[status]++
        const why = row.problem ?? (['failed', 'needs_attention'].includes(status) ? row.cause : undefined)
        if (why) byCause[why] = (byCause[why] ?? 0) + 1
      }
      return { byStatus, byCause }
    },
    async addRows(into, rows, { dryRun, audit }) {
      if (imports.get(into.id)?.cancelledAt) throw importCancelled()
      const taken = rows.map((row, at) => judge(store, into, row, at))
      const added = taken.filter(({ outcome }) => outcome === 'added')
      if (!dryRun && added.length > 0) {
        for (const { row } of added) importRows.set(rowName(into.id, row.key), row)
        note(store, audit)
      }
      return taken.map(({ row, outcome }): TakenRow => ({ row: read(store, row), outcome }))
    },
    async rows(id, { status, cursor = '0', limit }) {
      const rows = rowsOf(id)
        .map((row) => read(store, row))
        .filter((row) => row.position > Number(cursor) && (status === undefined || rowStatusOf(row) === status))
      const data = rows.slice(0, limit)
      return { data, nextCursor: rows.length > limit ? String(data.at(-1)?.position) : undefined }
    },
    async cancel(id, audit) {
      const isFirst = imports.get(id)?.cancelledAt === undefined
      if (isFirst) change(imports, id, { cancelledAt: store.now() })
      for (const { key, state } of rowsOf(id)) {
        if (state === 'waiting') change(importRows, rowName(id, key), { state: 'cancelled', sealed: undefined })
      }
      if (isFirst) note(store, audit)
      return isFirst
    },
  } satisfies Partial<Imports> as Imports
}

function judge(store: Store, { id, tenant }: { id: string; tenant: string }, row: CheckedRow, at: number) {
  const { importRows } = store.tables
  const before = importRows.get(rowName(id, row.key))
  if (before && before.state !== 'invalid') {
    return { row: before, outcome: before.digest === row.digest ? ('known' as const) : ('changed' as const) }
  }
  const problem = row.problem ?? (isRepeated(store, { id, tenant }, row) ? ('token_repeated' as const) : undefined)
  const state = problem ? ('invalid' as const) : ('waiting' as const)
  const position = before?.position ?? importRows.size + at + 1
  const kept: ImportRowRow = {
    ...row,
    tenant,
    importId: id,
    position,
    state,
    problem,
    errors: row.errors,
    sealed: problem ? undefined : row.sealed,
  }
  return { row: kept, outcome: 'added' as const }
}

const isRepeated = ({ tables }: Store, { id, tenant }: { id: string; tenant: string }, row: CheckedRow): boolean =>
  [...tables.importRows.values()].some(
    (other) =>
      other.tenant === tenant &&
      other.integration === row.integration &&
      other.tokenDigest === row.tokenDigest &&
      !(other.importId === id && other.key === row.key) &&
      (other.state === 'waiting' || (other.state === 'started' && tables.links.get(other.linkId)?.state !== 'failed')),
  )

const read = ({ tables }: Store, row: ImportRowRow): ImportRow => {
  const link = row.state === 'started' ? tables.links.get(row.linkId) : undefined
  const { importId, key, position, integration, endUser, accountId, state, problem, errors, linkId, connectionId } = row
  const own = { importId, key, position, integration, endUser, accountId, state, problem, errors, linkId, connectionId }
  return { ...own, linkState: link?.state, cause: link?.cause }
}

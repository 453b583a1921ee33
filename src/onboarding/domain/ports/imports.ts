import type { AuditEntry } from '../audit/audit-entry.ts'
import type { Import, ImportCounts, ImportRow, RowDraft, RowStatus } from '../imports/import.ts'
import type { RowProblem } from '../imports/row-problem.ts'
import type { Config } from '../link.ts'
import type { Sight } from '../tenant.ts'
import type { Page } from './shared.ts'

export type Imports = {
  create(draft: Pick<Import, 'id' | 'tenant' | 'name'>, audit: AuditEntry): Promise<Import>
  find(id: string): Promise<Import | undefined>
  list(query: ImportQuery): Promise<Page<Import>>
  counts(id: string): Promise<ImportCounts>
  /** Adds all rows or none. Known rows are unchanged, invalid ones replaced. Throws `import_cancelled`. */
  addRows(
    into: Import,
    rows: readonly CheckedRow[],
    options: { dryRun: boolean; audit: AuditEntry },
  ): Promise<TakenRow[]>
  rows(id: string, query: RowQuery): Promise<Page<ImportRow>>
  /** Starts no more rows and wipes waiting grants. False if it was cancelled before. */
  cancel(id: string, audit: AuditEntry): Promise<boolean>
}

type ImportQuery = Pick<Sight, 'testMode'> & {
  tenant: string | undefined
  cursor: string | undefined
  limit: number
}

export type RowQuery = { status: RowStatus | undefined; cursor: string | undefined; limit: number }

export type CheckedRow = Omit<RowDraft, 'refreshToken' | 'inputs'> & {
  workspace: string
  problem: RowProblem | undefined
  config: Config
  digest: string
  tokenDigest: string
  fingerprint: string
  linkId: string
  connectionId: string
  connectionName: string
  sealed: string | undefined
}

/** `changed`: the key belongs to a row with other content, which is kept. */
export type TakenRow = { row: ImportRow; outcome: 'added' | 'known' | 'changed' }

export type ImportPorts = { imports: Imports }

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
  /**
   * Takes in rows, all or none; a row that was taken in before stays as it is, and one that was not valid is replaced.
   * With `dryRun` nothing is written. In the order of the rows. Fails with `import_cancelled` once it is cancelled.
   */
  addRows(
    into: Import,
    rows: readonly CheckedRow[],
    options: { dryRun: boolean; audit: AuditEntry },
  ): Promise<TakenRow[]>
  rows(id: string, query: RowQuery): Promise<Page<ImportRow>>
  /** No row is started any more, and grants that wait are forgotten. False if it was cancelled before. */
  cancel(id: string, audit: AuditEntry): Promise<boolean>
}

export type ImportQuery = Pick<Sight, 'testMode'> & {
  tenant: string | undefined
  cursor: string | undefined
  limit: number
}

export type RowQuery = { status: RowStatus | undefined; cursor: string | undefined; limit: number }

/** A row as it is written down. */
export type CheckedRow = Omit<RowDraft, 'refreshToken' | 'inputs'> & {
  workspace: string
  /** What is wrong with it; such a row holds no grant. */
  problem: RowProblem | undefined
  config: Config
  /** Tells whether a row that is sent again is the same. */
  digest: string
  /** Tells whether two rows have the same token. */
  tokenDigest: string
  fingerprint: string
  linkId: string
  connectionId: string
  connectionName: string
  /** Sealed for the escrow of the link that the row will become. */
  sealed: string | undefined
}

/** `changed`: the key is taken by a row with other content, which stays. */
export type TakenRow = { row: ImportRow; outcome: 'added' | 'known' | 'changed' }

export type ImportPorts = { imports: Imports }

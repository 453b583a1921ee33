import { z } from 'zod'
import { execute, type Queryable, row, rows, sql } from '../../../kit/database/sql.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import type { AuditEntry } from '../../domain/audit/audit-entry.ts'
import { type Import, type ImportRow, importCancelled } from '../../domain/imports/import.ts'
import type { CheckedRow, TakenRow } from '../../domain/ports/imports.ts'
import { ImportRowColumns, importRowColumns, rowsAndLinks } from './rows.ts'

type Options = { dryRun: boolean; audit: AuditEntry }

/** Serialized per tenant: concurrent batches may contain the same token. */
export async function addRows(
  transaction: Queryable,
  into: Import,
  taken: readonly CheckedRow[],
  { dryRun, audit }: Options,
): Promise<TakenRow[]> {
  await holdUncancelled(transaction, into)
  await execute(transaction, sql`select pg_advisory_xact_lock(hashtextextended(${`import|${into.tenant}`}, 0))`)
  const known = await knownRows(transaction, into, taken)
  const repeated = await repeatedTokens(transaction, into, taken)
  const judged = taken.map((row) => (repeated.has(row.key) ? { ...row, problem: 'token_repeated' as const } : row))
  const fresh = judged.filter(({ key }) => isReplaceable(known.get(key)))
  if (!dryRun && fresh.length > 0) {
    await insertRows(transaction, into, fresh)
    await noteAudit(transaction, audit)
  }
  const written = dryRun ? known : await knownRows(transaction, into, taken)
  return judged.map((row): TakenRow => {
    const before = known.get(row.key)
    const kept = written.get(row.key) ?? unwritten(into, row)
    if (!before || isReplaceable(before)) return { row: dryRun ? unwritten(into, row) : kept, outcome: 'added' }
    return { row: kept, outcome: before.digest === row.digest ? 'known' : 'changed' }
  })
}

const Id = z.object({ id: z.string() })

/** The lock makes a concurrent cancellation wait, so that it also deletes these rows. */
async function holdUncancelled(transaction: Queryable, { id }: Import): Promise<void> {
  const held = sql`select id from imports where id = ${id} and cancelled_at is null for share`
  if (!(await row(transaction, Id, held))) throw importCancelled()
}

type KnownRow = ImportRow & { digest: string }

const isReplaceable = (row: KnownRow | undefined): boolean => row === undefined || row.state === 'invalid'

async function knownRows(transaction: Queryable, { id }: Import, taken: readonly CheckedRow[]) {
  const found = await rows(
    transaction,
    ImportRowColumns.extend({ digest: z.string() }),
    sql`
      select ${importRowColumns}, import_rows.digest from ${rowsAndLinks}
      where import_rows.import_id = ${id} and key = any(${taken.map(({ key }) => key)}::text[])`,
  )
  return new Map(found.map((row) => [row.key, row as KnownRow]))
}

const Key = z.object({ key: z.string() })

/** Rows whose token belongs to another row that has not failed: a grant must not exist twice. */
async function repeatedTokens(transaction: Queryable, { id, tenant }: Import, taken: readonly CheckedRow[]) {
  const asked = taken.map(({ key, integration, tokenDigest }) => ({ key, integration, token_digest: tokenDigest }))
  const found = await rows(
    transaction,
    Key,
    sql`
      select distinct asked.key
      from json_to_recordset(${JSON.stringify(asked)}::json) as asked (key text, integration text, token_digest text)
      join import_rows on import_rows.tenant = ${tenant} and import_rows.integration = asked.integration
        and import_rows.token_digest = asked.token_digest and import_rows.state in ('waiting', 'started')
        and not (import_rows.import_id = ${id} and import_rows.key = asked.key)
      left join links on import_rows.state = 'started' and links.id = import_rows.link_id
      where links.state is distinct from 'failed'`,
  )
  return new Set(found.map(({ key }) => key))
}

const isValid = ({ problem }: CheckedRow) => problem === undefined

const written = (row: CheckedRow) => ({
  key: row.key,
  state: isValid(row) ? 'waiting' : 'invalid',
  problem: row.problem ?? null,
  errors: row.errors ?? null,
  workspace: row.workspace,
  integration: row.integration,
  end_user: row.endUser,
  account_id: row.accountId ?? null,
  scopes: row.scopes ?? null,
  config: row.config,
  alias: row.alias ?? null,
  labels: row.labels ?? null,
  digest: row.digest,
  token_digest: row.tokenDigest,
  fingerprint: row.fingerprint,
  link_id: row.linkId,
  connection_id: row.connectionId,
  connection_name: row.connectionName,
  sealed: isValid(row) ? (row.sealed ?? null) : null,
})

const columns = [
  'key',
  'state',
  'problem',
  'errors',
  'workspace',
  'integration',
  'end_user',
  'account_id',
  'scopes',
  'config',
  'alias',
  'labels',
  'digest',
  'token_digest',
  'fingerprint',
  'link_id',
  'connection_id',
  'connection_name',
  'sealed',
] as const satisfies Array<keyof ReturnType<typeof written>>

const names = sql.join(columns.map(sql.identifier))
const replaced = sql.join(columns.map((name) => sql`${sql.identifier(name)} = excluded.${sql.identifier(name)}`))

async function insertRows(transaction: Queryable, { id, tenant }: Import, fresh: readonly CheckedRow[]): Promise<void> {
  await execute(
    transaction,
    sql`
      insert into import_rows (import_id, tenant, ${names})
      select ${id}, ${tenant}, ${names}
      from jsonb_to_recordset(${JSON.stringify(fresh.map(written))}::jsonb) as given (
        key text, state text, problem text, errors jsonb, workspace text, integration text, end_user jsonb, account_id text,
        scopes text[], config jsonb, alias text, labels jsonb, digest text, token_digest text, fingerprint text, link_id text,
        connection_id text, connection_name text, sealed text
      )
      on conflict (import_id, key) do update set ${replaced}`,
  )
}

const unwritten = ({ id }: Import, row: CheckedRow): ImportRow => ({
  importId: id,
  key: row.key,
  position: 0,
  integration: row.integration,
  endUser: row.endUser,
  accountId: row.accountId,
  state: isValid(row) ? 'waiting' : 'invalid',
  problem: row.problem,
  errors: row.errors,
  linkId: row.linkId,
  connectionId: row.connectionId,
  linkState: undefined,
  cause: undefined,
})

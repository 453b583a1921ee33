import { sql } from 'kysely'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import type { Database } from '../../../kit/database/database.ts'
import type { SealedRows } from '../../domain/ports/shared.ts'
import { forgetOtherKeys } from './encryption-keys.ts'
import type { LedgerSchema } from './schema.ts'
import { columnName, type SealedColumn, sealedColumns } from './sealed-columns.ts'

const batch = 100

export function postgresSealedRows(db: Database<LedgerSchema>, box: SealedBox, primaryKey: string): SealedRows {
  const byName = (name: string) => sealedColumns.find((each) => columnName(each) === name) as SealedColumn

  const others = (at: SealedColumn) => sql`${refOf(at, at.column)} is not null
    and not starts_with(${refOf(at, at.column)}, ${box.currentPrefix})`

  const read = async (at: SealedColumn, after: string[] | undefined): Promise<SealedRow[]> => {
    const key = sql.join(at.key.map((name) => refOf(at, name)))
    const { rows } = await sql<SealedRow>`
      select array[${key}] as key, array[${sql.join(at.words.map((word) => refOf(at, word)))}] as words,
        ${refOf(at, at.column)} as envelope
      from ${sql.table(at.table)} ${at.join ? sql`join ${sql.raw(at.join)}` : sql``}
      where ${others(at)} ${after ? sql`and (${key}) > (${sql.join(after)})` : sql``}
      order by ${key} limit ${batch}`.execute(db)
    return rows
  }

  /** Written only over the value that was read: whoever changed the row meanwhile has sealed it anew. */
  const replace = async (at: SealedColumn, { key, envelope }: SealedRow, rewrapped: string): Promise<number> => {
    const isRow = at.key.map((name, position) => sql`${sql.ref(name)} = ${key[position]}`)
    const { numAffectedRows } = await sql`
      update ${sql.table(at.table)} set ${sql.ref(at.column)} = ${rewrapped}
      where ${sql.join(isRow, sql` and `)} and ${sql.ref(at.column)} = ${envelope}`.execute(db)
    return Number(numAffectedRows)
  }

  const rewrap = async (at: SealedColumn, row: SealedRow): Promise<number> => {
    const rewrapped = rewrapOrLeave(box, row.envelope, at.place(...row.words))
    return rewrapped === undefined ? 0 : replace(at, row, rewrapped)
  }

  return {
    columns: sealedColumns.map(columnName),
    async rewrapSome(column, after) {
      const at = byName(column)
      const rows = await read(at, after)
      // A statement for each row: one that held many rows at a time would make links wait for it.
      const counts = await Promise.all(rows.map((row) => rewrap(at, row)))
      const next = rows.length === batch ? rows.at(-1)?.key : undefined
      return { rewrapped: counts.reduce((sum, count) => sum + count, 0), next }
    },
    async countOthers(column) {
      const at = byName(column)
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(at.table)} where ${others(at)}`.execute(db)
      return rows[0]?.count ?? 0
    },
    forgetOthers: () => forgetOtherKeys(db, primaryKey),
  }
}

type SealedRow = { key: string[]; words: string[]; envelope: string }

const refOf = ({ table }: SealedColumn, name: string) => sql.ref(name.includes('.') ? name : `${table}.${name}`)

/** Nothing when its key is not loaded, or it stands where it was not sealed for: it is counted with the others. */
function rewrapOrLeave(box: SealedBox, envelope: string, place: string): string | undefined {
  try {
    return box.rewrap(envelope, place)
  } catch {
    return undefined
  }
}

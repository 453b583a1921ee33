import { z } from 'zod'
import type { SealedBox } from '../crypto/sealed-box.ts'
import type { SealedRows } from '../process/rotate-encryption.ts'
import { forgetOtherKeys, otherSealingKeys } from './encryption-keys.ts'
import { execute, one, type Queryable, rows, type Sql, sql } from './sql.ts'

export type SealedColumn = {
  table: string
  column: string
  /** The primary key, which orders the walk. */
  key: readonly string[]
  /** Columns of the context, in this table or in the joined one; bytes as `\x…`. */
  words: readonly string[]
  join?: Sql
  context(...words: string[]): string
}

export const columnName = ({ table, column }: Pick<SealedColumn, 'table' | 'column'>) => `${table}.${column}`

/** `program` names the connections of other processes that seal here. */
type SealedTables = { program: string; columns: readonly SealedColumn[]; box: SealedBox; primaryKey: string }

const batch = 100

export function postgresSealedRows(db: Queryable, { program, columns, box, primaryKey }: SealedTables): SealedRows {
  const byName = (name: string) => columns.find((each) => columnName(each) === name) as SealedColumn

  const others = (at: SealedColumn) => sql`${refOf(at, at.column)} is not null
    and not starts_with(${refOf(at, at.column)}, ${box.currentPrefix})`

  const read = (at: SealedColumn, after: string[] | undefined): Promise<SealedRow[]> => {
    const key = sql.join(at.key.map((name) => refOf(at, name)))
    return rows(
      db,
      SealedRow,
      sql`
        select ${textsOf(at, at.key)} as key, ${textsOf(at, at.words)} as words,
          ${refOf(at, at.column)} as envelope
        from ${sql.identifier(at.table)} ${at.join ? sql`join ${at.join}` : sql``}
        where ${others(at)} ${after ? sql`and (${key}) > (${sql.join(after)})` : sql``}
        order by ${key} limit ${batch}`,
    )
  }

  /** Only if unchanged: a concurrent writer has sealed the value again. */
  const replace = (at: SealedColumn, { key, envelope }: SealedRow, rewrapped: string): Promise<number> => {
    const column = sql.identifier(at.column)
    const isRow = at.key.map((name, position) => sql`${sql.identifier(name)} = ${key[position] ?? null}`)
    return execute(
      db,
      sql`update ${sql.identifier(at.table)} set ${column} = ${rewrapped}
        where ${sql.join(isRow, ' and ')} and ${column} = ${envelope}`,
    )
  }

  const rewrap = async (at: SealedColumn, row: SealedRow): Promise<number> => {
    const rewrapped = rewrapOrLeave(box, row.envelope, at.context(...row.words))
    return rewrapped === undefined ? 0 : replace(at, row, rewrapped)
  }

  return {
    columns: columns.map(columnName),
    async rewrapSome(column, after) {
      const at = byName(column)
      const found = await read(at, after)
      // One statement per row: locking many rows would block other work.
      const counts = await Promise.all(found.map((row) => rewrap(at, row)))
      const next = found.length === batch ? found.at(-1)?.key : undefined
      return { rewrapped: counts.reduce((sum, count) => sum + count, 0), next }
    },
    async countOthers(column) {
      const at = byName(column)
      const query = sql`select count(*) as count from ${sql.identifier(at.table)} where ${others(at)}`
      return (await one(db, Count, query)).count
    },
    otherSealingKeys: () => otherSealingKeys(db, program, primaryKey),
    forgetOthers: () => forgetOtherKeys(db, box, { program, primary: primaryKey }),
  }
}

const Count = z.object({ count: z.number() })
const SealedRow = z.object({ key: z.array(z.string()), words: z.array(z.string()), envelope: z.string() })
type SealedRow = z.infer<typeof SealedRow>

const refOf = ({ table }: SealedColumn, name: string) => sql.identifier(name.includes('.') ? name : `${table}.${name}`)

/** As text, because a key may be bytes; PostgreSQL casts it back to the type of the column. */
const textsOf = (at: SealedColumn, names: readonly string[]) =>
  sql`array[${sql.join(names.map((name) => sql`${refOf(at, name)}::text`))}]`

/** Undefined if its key is not loaded, or if the context differs. */
function rewrapOrLeave(box: SealedBox, envelope: string, context: string): string | undefined {
  try {
    return box.rewrap(envelope, context)
  } catch {
    return undefined
  }
}

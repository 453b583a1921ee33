import { z } from 'zod'
import { maybe, type Queryable, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import {
  type Block,
  type ChainedRow,
  type Erased,
  kindsOfBlock,
  type SpecialBody,
} from '../../../domain/audit/audit-chain.ts'
import { EntryColumns } from '../audit-entries.ts'

const text = maybe(z.string())

/** Any action: another release may have written the row. */
const ChainedColumns = EntryColumns.omit({ at: true }).extend({
  micros: z.number(),
  action: z.string(),
  subjectKind: text,
  facts: z.record(z.string(), z.unknown()),
  actorKind: z.string(),
})

const { micros: _, ...others } = ChainedColumns.shape

// A Date would drop the microseconds, and to_char takes longer than the rest of the row.
const chainedColumns = sql`${sql.columns(z.object(others))}, (extract(epoch from at) * 1000000)::bigint as micros`

const ChainedRowColumns = ChainedColumns.transform(({ micros, ...row }): ChainedRow => ({ ...row, at: timeOf(micros) }))

function timeOf(micros: number): string {
  const [milliseconds, rest] = [Math.floor(micros / 1_000), micros % 1_000]
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}

export const chainedRows = (db: Queryable, where: Sql): Promise<ChainedRow[]> =>
  rows(db, ChainedRowColumns, sql`select ${chainedColumns} from audit where ${where}`)

const BlockColumns = z.object({
  chain: z.string(),
  first: z.number(),
  last: z.number(),
  kind: z.enum(kindsOfBlock),
  ids: z.array(z.coerce.number()),
  leaves: z.instanceof(Buffer),
  salts: z.instanceof(Buffer),
  body: maybe(z.custom<SpecialBody>((value) => typeof value === 'object')),
  hash: z.instanceof(Buffer),
  sealedAt: z.date(),
  kid: z.string(),
  signature: z.instanceof(Buffer),
})

const blockColumns = sql.columns(BlockColumns)

export const blocksOf = (db: Queryable, rest: Sql): Promise<Block[]> =>
  rows(db, BlockColumns, sql`select ${blockColumns} from audit_blocks ${rest}`)

const ErasedColumns = z.object({
  id: z.number(),
  personal: maybe(z.instanceof(Buffer)),
  hidden: maybe(z.instanceof(Buffer)),
})

export async function erasedAmong(db: Queryable, ids: number[]): Promise<Map<number, Erased>> {
  const wanted = sql`select ${sql.columns(ErasedColumns)} from audit_erased where id = any(${ids}::bigint[])`
  return new Map((await rows(db, ErasedColumns, wanted)).map(({ id, ...erased }) => [id, erased]))
}

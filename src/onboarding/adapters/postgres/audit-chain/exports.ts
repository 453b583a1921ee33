import type pg from 'pg'
import { z } from 'zod'
import { one, type Queryable, rows, sql } from '../../../../kit/database/sql.ts'
import { type ExportState, exportStates } from '../../../../kit/export/export-positions.ts'
import type { Block } from '../../../domain/audit/audit-chain.ts'
import type { AuditChainPorts, ReadBlocks } from '../../../domain/ports/audit-chain.ts'
import { hashBefore } from './chains.ts'
import { blocksOf, chainedRows, erasedAmong } from './rows.ts'

export const auditExportTable = 'audit_exports'

type BlocksAfter = AuditChainPorts['auditExport']['blocksAfter']

export const blocksAfter =
  (pool: pg.Pool): BlocksAfter =>
  async (number, { blocks, entries }) => {
    const found = await rows(
      pool,
      NumberRow,
      sql`select number, chain, last, cardinality(ids) as entries from audit_blocks where number > ${number}
        order by number limit ${blocks}`,
    )
    let left = entries
    const numbered = []
    for (const each of found) {
      left -= each.entries
      if (left < 0 && numbered.length > 0) break
      const [block] = await blocksOf(pool, sql`where chain = ${each.chain} and last = ${each.last}`)
      if (block) numbered.push({ number: each.number, ...(await contentOf(pool, block)) })
    }
    return numbered
  }

async function contentOf(db: Queryable, block: Block): Promise<ReadBlocks> {
  const found = block.ids.length === 0 ? [] : await chainedRows(db, sql`id = any(${block.ids}::bigint[])`)
  return {
    blocks: [block],
    previous: await hashBefore(db, block.chain, block),
    rows: new Map(found.map((each) => [each.id, each])),
    erased: await erasedAmong(db, block.ids),
    strangers: [],
  }
}

/** By the age of the oldest block that a destination does not have. */
export const auditExportStates = (db: Queryable, destinations: readonly string[]): Promise<ExportState[]> =>
  exportStates(db, {
    table: auditExportTable,
    destinations,
    oldestMissing: sql`
      select sealed_at from audit_blocks where number > position.exported order by number limit 1`,
  })

/** The age of the oldest entry that is not sealed. */
export const unsealedSeconds = async (db: Queryable): Promise<number> =>
  (
    await one(
      db,
      AgeRow,
      sql`
        select coalesce(extract(epoch from now() - (
          select at from audit where id > (select horizon from audit_sealing) order by id limit 1
        )), 0)::float8 as seconds`,
    )
  ).seconds

const AgeRow = z.object({ seconds: z.number() })
const NumberRow = z.object({ number: z.number(), chain: z.string(), last: z.number(), entries: z.number() })

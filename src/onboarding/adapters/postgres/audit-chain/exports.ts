import type pg from 'pg'
import { z } from 'zod'
import { backoffInterval } from '../../../../kit/database/queue.ts'
import { execute, one, type Queryable, row, rows, sql } from '../../../../kit/database/sql.ts'
import type { Block } from '../../../domain/audit/audit-chain.ts'
import type { AuditExports, ReadBlocks } from '../../../domain/ports/audit-chain.ts'
import { inSeconds } from '../statement-parts.ts'
import { hashBefore } from './chains.ts'
import { blocksOf, chainedRows, erasedAmong } from './rows.ts'

/** Longer than a send may take. */
const leaseSeconds = 60

const retries = { firstSeconds: 5, maxSeconds: 5 * 60 }

export const postgresExports = (pool: pg.Pool): AuditExports => ({
  claim: (destination) =>
    row(
      pool,
      ClaimRow,
      sql`
        insert into audit_exports (destination, due_at) values (${destination}, ${inSeconds(leaseSeconds)})
        on conflict (destination) do update set due_at = ${inSeconds(leaseSeconds)}, fence = audit_exports.fence + 1
          where audit_exports.due_at <= now()
        returning destination, fence, exported`,
    ),
  async blocksAfter(number, { blocks, entries }) {
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
  },
  async exported({ destination, fence }, through, delaySeconds) {
    await execute(
      pool,
      sql`
        update audit_exports set exported = ${through}, due_at = ${inSeconds(delaySeconds)}, failures = 0,
          problem = null
        where destination = ${destination} and fence = ${fence}`,
    )
  },
  async failed({ destination, fence }, problem) {
    const delay = backoffInterval(sql`failures`, retries)
    const found = await row(
      pool,
      DelayRow,
      sql`
        update audit_exports set due_at = now() + ${delay}, failures = failures + 1, problem = ${problem.slice(0, 500)}
        where destination = ${destination} and fence = ${fence}
        returning extract(epoch from due_at - now())::float8 as "delaySeconds"`,
    )
    return found ?? { delaySeconds: 0 }
  },
})

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

export type ExportFigures = { destination: string; lagSeconds: number; failures: number }

const FigureRow = z.object({ destination: z.string(), lagSeconds: z.number(), failures: z.number() })

/** The age of the oldest block that a destination does not have. */
export const exportFigures = (db: Queryable): Promise<ExportFigures[]> =>
  rows(
    db,
    FigureRow,
    sql`
      select destination, failures, coalesce(extract(epoch from now() - (
        select sealed_at from audit_blocks where number > exported order by number limit 1
      )), 0)::float8 as "lagSeconds"
      from audit_exports`,
  )

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
const ClaimRow = z.object({ destination: z.string(), fence: z.number(), exported: z.number() })
const NumberRow = z.object({ number: z.number(), chain: z.string(), last: z.number(), entries: z.number() })
const DelayRow = z.object({ delaySeconds: z.number() })

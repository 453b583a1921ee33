import type pg from 'pg'
import { z } from 'zod'
import type { SigningKeys } from '../../../../kit/crypto/signing-keys.ts'
import { one, type Queryable, row, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { type Block, type ChainName, deploymentChain, headText, startOf } from '../../../domain/audit/audit-chain.ts'
import type { AuditChains } from '../../../domain/ports/audit-chain.ts'
import { Id } from '../schema.ts'
import { tailOf } from './chain-tail.ts'
import { blocksOf, chainedRows, erasedAmong } from './rows.ts'

const maxBlocks = 100

export const postgresChains = (pool: pg.Pool, keys: SigningKeys): AuditChains => ({
  horizon: async () => (await row(pool, Horizon, sql`select horizon from audit_sealing`))?.horizon ?? 0,
  tail: (chain) => tailOf(pool, chain),
  async read(chain, { position, id }, limit) {
    const next = sql`where chain = ${chain} and last > ${position} order by last limit ${maxBlocks}`
    const blocks = firstBlocks(await blocksOf(pool, next), limit)
    const ids = blocks.flatMap((block) => block.ids)
    const found = ids.length === 0 ? [] : await chainedRows(pool, sql`id = any(${ids}::bigint[])`)
    const known = new Set(ids)
    const between = ids.length === 0 ? [] : await idsBetween(pool, chain, { above: id, through: Math.max(...ids) })
    return {
      blocks,
      previous: await hashBefore(pool, chain, blocks[0]),
      rows: new Map(found.map((each) => [each.id, each])),
      erased: await erasedAmong(pool, ids),
      strangers: between.filter((each) => !known.has(each)),
    }
  },
  strangersAfter: (chain, id, horizon) => idsBetween(pool, chain, { above: id, through: horizon }),
  specials: async (chain) =>
    (await blocksOf(pool, sql`where chain = ${chain} and entry = 0 order by last`)).flatMap(({ body }) => body ?? []),
  async names() {
    const tenants = await rows(pool, Id, sql`select id from tenants`)
    return [
      ...new Set([
        deploymentChain,
        ...tenants.map(({ id }) => id),
        ...(await sealedChains(pool)),
        ...(await chainsOfRows(pool)),
      ]),
    ]
  },
  isSigned: (head) => keys.isValid(head.kid, headText(head), head.signature),
  publicKeys: keys.publicKeys,
})

export async function hashBefore(db: Queryable, chain: ChainName, block: Block | undefined): Promise<Buffer> {
  const before = (block?.first ?? 1) - 1
  if (before === 0) return startOf(chain)
  const known = await row(
    db,
    Hash,
    sql`
      select hash from audit_blocks where chain = ${chain} and last = ${before}
      union all
      select decode(translate(body ->> 'hash', '-_', '+/') || '=', 'base64') from audit_blocks
      where chain = ${chain} and kind = 'retention' and (body ->> 'through')::bigint = ${before}
      limit 1`,
  )
  return known?.hash ?? startOf(chain)
}

function firstBlocks(blocks: readonly Block[], limit: number): Block[] {
  let entries = 0
  const first = blocks.filter(({ ids }, at) => {
    entries += ids.length
    return at === 0 || entries <= limit
  })
  return first
}

const ofChain = (chain: ChainName): Sql => (chain === deploymentChain ? sql`tenant is null` : sql`tenant = ${chain}`)

async function idsBetween(
  db: Queryable,
  chain: ChainName,
  { above, through }: { above: number; through: number },
): Promise<number[]> {
  const wanted = sql`select id from audit where ${ofChain(chain)} and id > ${above} and id <= ${through} order by id`
  return (await rows(db, EntryId, wanted)).map(({ id }) => id)
}

const chainsAfter = (after: ChainName | undefined): Sql => sql`
  with recursive chains (chain) as (
    (select chain from audit_blocks ${after === undefined ? sql`` : sql`where chain > ${after}`} order by chain limit 1)
    union all
    select (select chain from audit_blocks where chain > chains.chain order by chain limit 1)
    from chains where chain is not null
  )`

/** Skips from chain to chain in the primary key. Ends with a null. */
export const allSealedChains = chainsAfter(undefined)

type Some = { after: ChainName | undefined; limit: number }

export async function sealedChains(db: Queryable, some?: Some): Promise<ChainName[]> {
  const limit = some ? sql`limit ${some.limit}` : sql``
  const found = sql`${chainsAfter(some?.after)} select chain from chains where chain is not null ${limit}`
  return (await rows(db, Chain, found)).map(({ chain }) => chain)
}

const rowsAtOnce = 50_000

/** In parts, because one statement over all rows would take too long. */
async function chainsOfRows(db: Queryable): Promise<ChainName[]> {
  const { first, last } = await one(
    db,
    Range,
    sql`select coalesce(min(id), 0) as first, coalesce(max(id), 0) as last from audit`,
  )
  const found = new Set<ChainName>()
  for (let from = first; from <= last; ) {
    const part = sql`
      with part as (select id, tenant from audit where id >= ${from} order by id limit ${rowsAtOnce})
      select coalesce(tenant, '') as chain, max(id) as "through" from part group by 1`
    const chains = await rows(db, ChainPart, part)
    for (const { chain } of chains) found.add(chain)
    from = Math.max(...chains.map(({ through }) => through)) + 1
  }
  return [...found]
}

const Hash = z.object({ hash: z.instanceof(Buffer) })
const Horizon = z.object({ horizon: z.number() })
const EntryId = z.object({ id: z.number() })
const Chain = z.object({ chain: z.string() })
const ChainPart = z.object({ chain: z.string(), through: z.number() })
const Range = z.object({ first: z.number(), last: z.number() })

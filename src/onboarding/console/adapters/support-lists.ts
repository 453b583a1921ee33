// Lists of connections and links. Keyset pagination, so late pages cost as much as the first.

import { z } from 'zod'
import { maybe, type Queryable, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { idsSince } from '../../adapters/crypto/tokens.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import { matching } from '../../adapters/postgres/statement-parts.ts'
import { LinkRow } from '../../domain/link.ts'
import type { Page } from '../../domain/ports/shared.ts'
import type {
  ConnectionFilter,
  ConnectionSort,
  LinkFilter,
  LinkSort,
  Sorted,
  Span,
} from '../../domain/ports/support-ledger.ts'
import { ConnectionRow, connectionColumns, linkColumns } from '../../provisioning/adapters/postgres/rows.ts'
import { isRetrying } from './support-overview.ts'

type SortKey = {
  key: Sql
  /** Replaces `key` for open links. */
  openKey?: Sql
  /** Convert the key to text for the cursor, and back. `fromText` returns undefined for invalid text. */
  text?: Sql
  fromText?: (text: string) => Sql | undefined
  /** In the index, rows with the same key are newest first. */
  isNewestFirst?: true
}

const connectionKeys: Record<ConnectionSort, SortKey | undefined> = {
  created: undefined,
  app: { key: sql`integration` },
  person: { key: sql`(lower(end_user_id) collate "C")`, isNewestFirst: true },
  tenant: { key: sql`tenant` },
  state: { key: sql`status` },
  changed: {
    key: sql`status_since`,
    text: sql`(extract(epoch from status_since) * 1000000)::bigint`,
    fromText: (text) =>
      /^\d{1,16}$/.test(text) ? sql`(timestamptz 'epoch' + ${Number(text)} * interval '1 microsecond')` : undefined,
  },
}

const linkKeys: Record<LinkSort, SortKey | undefined> = {
  created: undefined,
  app: { key: sql`integration` },
  person: { key: sql`(lower(end_user ->> 'id') collate "C")` },
  tenant: { key: sql`tenant` },
  // All states of an open link are shown as "In progress".
  state: { key: sql`state`, openKey: sql`'pending'::text` },
}

export function listConnections(db: Queryable, query: ConnectionFilter & Sorted<ConnectionSort>) {
  const { tenant, integration, status, cause, healthUnknown, grantEnding } = query
  const unjudged = healthUnknown ? sql`and health_unknown_since is not null` : sql``
  const ending = grantEnding ? sql`and grant_ends_at is not null and status = 'active'` : sql``
  const wanted = sql`${matching({ tenant, integration, status, cause })} ${unjudged} ${ending} ${within('con', query)}`
  const sort = connectionKeys[query.order?.by ?? 'created']
  const selected = sql`
    select ${connectionColumns}, ${textOf(sort)} as "sortText" from connections where ${wanted} ${inOrder(query, sort)}`
  return sortedPage(db, ConnectionRow.extend(SortText), selected, query.limit)
}

export function listLinks(db: Queryable, query: LinkFilter & Sorted<LinkSort>) {
  const { tenant, integration, state, cause, retrying } = query
  const inState = state === undefined ? sql`` : sql`and state = ${sql.literal(state)}`
  const inRetry = retrying ? sql`and ${isRetrying}` : sql``
  const wanted = sql`${matching({ tenant, integration, cause })} ${inState} ${inRetry} ${within('lnk', query)}`
  const by = query.order?.by ?? 'created'
  const isPartlyIndexed = integration !== undefined || by === 'app' || by === 'person' || by === 'state'
  // Retrying links have their own index.
  const selected =
    isPartlyIndexed && !retrying ? linksByHalves(wanted, query, linkKeys[by]) : allLinks(wanted, query, linkKeys[by])
  return sortedPage(db, LinkRow.extend(SortText), selected, query.limit)
}

const allLinks = (wanted: Sql, query: Sorted<LinkSort>, sort: SortKey | undefined): Sql =>
  sql`select ${linkColumns}, ${textOf(sort)} as "sortText" from links where ${wanted} ${inOrder(query, sort)}`

/** The indexes by integration, user and state leave out open links, of which there are few. */
function linksByHalves(wanted: Sql, query: Sorted<LinkSort>, sort: SortKey | undefined): Sql {
  const half = (which: Sql, key = sort?.key) => sql`
    (select *, ${key ?? sql`null`} as sort_key from links where ${wanted} and ${which}
    ${inOrder(query, sort && { ...sort, key: key ?? sort.key })})`
  const both = sql`${half(sql`due_at is null`)} union all ${half(sql`due_at is not null`, sort?.openKey)}`
  return sql`
    select ${linkColumns}, sort_key as "sortText" from (${both}) as links
    where true ${inOrder(query, sort && { ...sort, key: sql`sort_key` })}`
}

/** IDs sort by time, so the primary key finds a day. */
const within = (prefix: string, { from, to }: Span): Sql =>
  sql`${from ? sql`and id >= ${idsSince(prefix, from)}` : sql``} ${to ? sql`and id < ${idsSince(prefix, to)}` : sql``}`

const textOf = (sort: SortKey | undefined): Sql => (sort ? sql`(${sort.text ?? sort.key})::text` : sql`null`)

const SortText = { sortText: maybe(z.string()) }

/** The end of a statement: rows after the cursor, the order, and one row more than the limit. */
function inOrder({ cursor, limit, order }: Sorted<string>, sort: SortKey | undefined): Sql {
  const [up, down] = [
    { way: sql`asc`, after: sql`>` },
    { way: sql`desc`, after: sql`<` },
  ] as const
  const [it, reverse] = order?.isAscending ? [up, down] : [down, up]
  const { id, text } = readCursor(cursor)
  if (!sort) {
    return sql`${id === undefined ? sql`` : sql`and id ${it.after} ${id}`} order by id ${it.way} limit ${limit + 1}`
  }
  const { key, fromText = (same: string) => sql`${same}`, isNewestFirst } = sort
  const ties = isNewestFirst ? reverse : it
  const from = text === undefined ? undefined : fromText(text)
  const end = sql`order by ${key} ${it.way}, id ${ties.way} limit ${limit + 1}`
  if (id === undefined || from === undefined) return end
  return isNewestFirst
    ? sql`and ${key} ${it.after}= ${from} and (${key} ${it.after} ${from} or id ${ties.after} ${id}) ${end}`
    : sql`and (${key}, id) ${it.after} (${from}, ${id}) ${end}`
}

/** An ID, and for some orders a tilde and the sort key of that row: it may change before the next page is read. */
function readCursor(cursor = ''): { id?: string; text?: string } {
  const [, id, , text] = /^([^~]+)(~(.*))?$/s.exec(cursor) ?? []
  return { ...(id && { id }), ...(text !== undefined && { text }) }
}

async function sortedPage<Row extends { id: string; sortText: string | undefined }>(
  db: Queryable,
  schema: z.ZodType<Row>,
  selected: Sql,
  limit: number,
): Promise<Page<Omit<Row, 'sortText'>>> {
  const page = pageOf(await rows(db, schema, selected), limit, ({ id, sortText }) =>
    sortText === undefined ? id : `${id}~${sortText}`,
  )
  return { ...page, data: page.data.map(({ sortText: _, ...row }) => row) }
}

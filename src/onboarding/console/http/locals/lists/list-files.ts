import { csv } from '../../../../../kit/http/csv.ts'
import type { Connection } from '../../../../domain/connection.ts'
import { type Link, statusOf } from '../../../../domain/link.ts'
import type { AuditLine } from '../../../../domain/ports/support-ledger.ts'

type Column<T> = [name: string, read: (row: T) => string | undefined]

/** The columns have the names of the API. */
const connectionColumns: Array<Column<Connection>> = [
  ['connectionId', ({ id }) => id],
  ['tenantId', ({ tenant }) => tenant],
  ['integrationId', ({ integration }) => integration],
  ['endUserId', ({ endUserId }) => endUserId],
  ['accountLabel', ({ account }) => account?.label],
  ['alias', ({ alias }) => alias],
  ['status', ({ status }) => status],
  ['cause', ({ cause }) => cause],
  ['createdAt', ({ createdAt }) => createdAt.toISOString()],
  ['updatedAt', ({ updatedAt }) => updatedAt.toISOString()],
]

const linkColumns: Array<Column<Link>> = [
  ['linkId', ({ id }) => id],
  ['tenantId', ({ tenant }) => tenant],
  ['integrationId', ({ integration }) => integration],
  ['connectionId', ({ connectionId }) => connectionId],
  ['endUserId', ({ endUser }) => endUser.id],
  ['status', ({ state }) => statusOf(state)],
  ['state', ({ state }) => state],
  ['cause', ({ cause }) => cause],
  ['createdAt', ({ createdAt }) => createdAt.toISOString()],
  ['updatedAt', ({ updatedAt }) => updatedAt.toISOString()],
]

const auditColumns: Array<Column<AuditLine>> = [
  ['at', ({ at }) => at.toISOString()],
  ['action', ({ action }) => action],
  ['subjectKind', ({ subject }) => subject?.kind],
  ['subjectId', ({ subject }) => subject?.id],
  ['facts', ({ facts }) => JSON.stringify(facts)],
  ['actorKind', ({ actor }) => actor.kind],
  ['actor', ({ actor }) => actor.id],
  ['actorName', ({ actor }) => actor.name],
  ['tenant', ({ tenant }) => tenant],
  ['link', ({ link }) => link],
  ['connection', ({ connection }) => connection],
  ['reason', ({ reason }) => reason],
  ['requestId', ({ requestId }) => requestId],
  ['address', ({ address }) => address],
  ['before', ({ before }) => before && JSON.stringify(before)],
  ['after', ({ after }) => after && JSON.stringify(after)],
]

export const connectionsFile = (pages: AsyncIterable<Connection[]>) => fileOf(connectionColumns, pages)
export const linksFile = (pages: AsyncIterable<Link[]>) => fileOf(linkColumns, pages)
export const auditFile = (pages: AsyncIterable<AuditLine[]>) => fileOf(auditColumns, pages)

async function* fileOf<T>(columns: Array<Column<T>>, pages: AsyncIterable<T[]>): AsyncGenerator<string> {
  yield csv([columns.map(([name]) => name)])
  for await (const page of pages) yield csv(page.map((row) => columns.map(([, read]) => read(row) ?? '')))
}

// Lists as files: the columns that the API names, so that a file and an answer of the API can be put side by side.
import { csv } from '../../../../kit/http/csv.ts'
import type { Connection } from '../../../domain/connection.ts'
import { type Link, statusOf } from '../../../domain/link.ts'

type Column<T> = [name: string, read: (row: T) => string | undefined]

const connectionColumns: Array<Column<Connection>> = [
  ['connectionId', ({ id }) => id],
  ['tenantId', ({ tenant }) => tenant],
  ['integrationId', ({ integration }) => integration],
  ['endUserId', ({ endUserId }) => endUserId],
  ['accountLabel', ({ account }) => account?.label],
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

export const connectionsFile = (pages: AsyncIterable<Connection[]>) => fileOf(connectionColumns, pages)
export const linksFile = (pages: AsyncIterable<Link[]>) => fileOf(linkColumns, pages)

async function* fileOf<T>(columns: Array<Column<T>>, pages: AsyncIterable<T[]>): AsyncGenerator<string> {
  yield csv([columns.map(([name]) => name)])
  for await (const page of pages) yield csv(page.map((row) => columns.map(([, read]) => read(row) ?? '')))
}

import type { Connection } from '../../domain/connection.ts'
import type { ConnectionQuery, Connections } from '../../domain/ports/connections.ts'
import type { Page } from '../../domain/ports/shared.ts'
import { type Caller, ownThing } from '../../domain/tenant.ts'
import { type ById, emptyPage, isOutside } from '../../linking/flows/read-links.ts'

export const readConnection =
  ({ connections }: { connections: Connections }) =>
  async ({ caller, id }: ById): Promise<Connection> =>
    ownThing(await connections.find(id), caller, 'connection')

export const listConnections =
  ({ connections }: { connections: Connections }) =>
  async ({ caller, ...query }: ConnectionQuery & { caller: Caller }): Promise<Page<Connection>> =>
    isOutside(caller, query.tenant) ? emptyPage : connections.list({ ...query, tenant: caller.tenant ?? query.tenant })

// What a caller may look at: its own things, and nothing that tells of another's.
import type { Actor } from '../domain/audit.ts'
import type { ConnectSession } from '../domain/connect-session.ts'
import type { Connection } from '../domain/connection.ts'
import { Failure } from '../domain/failure.ts'
import type { Link } from '../domain/link.ts'
import type { ConnectionQuery, LinkQuery, Page } from '../domain/ports.ts'
import { type Caller, maySee, ownThing } from '../domain/tenant.ts'
import type { Adapters } from './adapters.ts'

type ById = { caller: Caller; id: string }

export const readSession =
  ({ sessions }: Pick<Adapters, 'sessions'>) =>
  async ({ caller, id }: ById): Promise<ConnectSession> =>
    ownThing(await sessions.find(id), caller, 'connect session')

export const cancelSession =
  ({ sessions }: Pick<Adapters, 'sessions'>) =>
  async ({
    caller,
    actor,
    id,
    reason,
  }: ById & { actor: Actor; reason?: string | undefined }): Promise<ConnectSession> => {
    const session = await readSession({ sessions })({ caller, id })
    const change = { before: { session: id, cancelled: false }, after: { session: id, cancelled: true } }
    const about = { actor, tenant: session.tenant, connection: session.connectionId }
    const audit = { action: 'session.cancelled', ...about, reason: reason ?? id, ...change }
    const cancelled = await sessions.cancel(id, audit)
    if (!cancelled && !session.cancelledAt) throw new Failure('session_started', 'This session was already started.')
    return readSession({ sessions })({ caller, id })
  }

export const readLink =
  ({ links }: Pick<Adapters, 'links'>) =>
  async ({ caller, id }: ById): Promise<Link> =>
    ownThing(await links.find(id), caller, 'link')

export const readConnection =
  ({ connections }: Pick<Adapters, 'connections'>) =>
  async ({ caller, id }: ById): Promise<Connection> =>
    ownThing(await connections.find(id), caller, 'connection')

export const listLinks =
  ({ links }: Pick<Adapters, 'links'>) =>
  async ({ caller, ...query }: LinkQuery & { caller: Caller }): Promise<Page<Link>> =>
    isOutside(caller, query.tenant) ? nothing : links.list({ ...query, tenant: caller.tenant ?? query.tenant })

export const listConnections =
  ({ connections }: Pick<Adapters, 'connections'>) =>
  async ({ caller, ...query }: ConnectionQuery & { caller: Caller }): Promise<Page<Connection>> =>
    isOutside(caller, query.tenant) ? nothing : connections.list({ ...query, tenant: caller.tenant ?? query.tenant })

const nothing = { data: [], nextCursor: undefined }

const isOutside = (caller: Caller, tenant: string | undefined) => tenant !== undefined && !maySee(caller, tenant)

import type { Actor } from '../../domain/audit/audit.ts'
import { connectEnded } from '../../domain/connect-session.ts'
import type { Connection } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import {
  isManagedBy,
  type ManageSession,
  managePath,
  manageRefusal,
  manageStatus,
} from '../../domain/end-users/manage-session.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { HealthCheck } from '../../domain/health/health.ts'
import type { Integration } from '../../domain/integration.ts'
import type { FunctionCall } from '../../domain/ports/function-access.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isPinned } from '../../domain/relink.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { activeTenant, type PageOwner } from '../../linking/flows/page-owner.ts'
import type { EndedSession } from '../../linking/flows/return-browser.ts'
import { disconnect } from './disconnect.ts'
import { disconnectedAlready } from './own-connection.ts'
import { relinkConnection } from './relink-connection.ts'
import type { TaskInProgress } from './work-on-task.ts'

type OpenedManagePage = {
  session: ManageSession
  browser: string | undefined
}

export async function openManagePage(
  { manageSessions, tokens, audit }: Ports,
  {
    token,
    browsers,
    actor,
  }: {
    token: string
    browsers: string[]
    actor: Actor
  },
): Promise<OpenedManagePage> {
  const secret = tokens.fresh()
  const fresh = tokens.digest(secret)
  const session = await manageSessions.open(tokens.digest(token), { known: browsers, fresh })
  if (!session) throw await refusedOpening({ audit }, await manageSessions.byToken(tokens.digest(token)), actor)
  if (session.browser !== fresh) return { session, browser: undefined }
  const subject = { kind: 'manage_session' as const, id: session.id }
  await audit.note({ action: 'manage_session.opened', actor, subject, tenant: session.tenant })
  return { session, browser: secret }
}

async function refusedOpening({ audit }: Pick<Ports, 'audit'>, session: ManageSession | undefined, actor: Actor) {
  await audit.note({
    action: 'manage.rejected',
    actor,
    subject: session && aboutSession(session),
    tenant: session?.tenant,
    facts: { refusal: manageRefusal(session) },
  })
  return connectEnded()
}

const aboutSession = ({ id }: ManageSession) => ({ kind: 'manage_session' as const, id })

type OnManagePage = { id: string; browsers: string[] }

export type ManagedConnection = {
  connection: Connection
  integration: Integration | undefined
}

export type ManagePage = { session: ManageSession; tenant: Tenant; connections: ManagedConnection[] }

const maxConnections = 100

export async function showManagePage(
  ports: Ports,
  { actor, ...on }: OnManagePage & { actor: Actor },
): Promise<ManagePage> {
  const { session, tenant } = await ownSession(ports, on, actor)
  const any = { integration: undefined, status: undefined, cause: undefined, cursor: undefined }
  const own = { tenant: session.tenant, endUserId: session.endUser.id, limit: maxConnections }
  const { data } = await ports.connections.list({ ...any, ...own })
  const inUse = data.filter(({ status }) => status !== 'disconnected')
  return { session, tenant, connections: inUse.map((connection) => managed(ports, connection)) }
}

type OnManagedConnection = OnManagePage & { connectionId: string }

export type ManagedConnectionPage = ManagedConnection & { session: ManageSession; tenant: Tenant }

export type ManagedConnectionDetails = ManagedConnectionPage & {
  checks: HealthCheck[]
  calls: FunctionCall[] | undefined
  mayRelink: boolean
}

const maxCalls = 20

export async function showManagedConnection(
  ports: Ports,
  { completion }: Settings,
  on: OnManagedConnection,
): Promise<ManagedConnectionDetails> {
  const page = await managedConnection(ports, on)
  const [checks, calls] = await Promise.all([
    ports.healthChecks.history(page.connection.id),
    ports.functionAccess.listCalls(page.connection, maxCalls).catch(undefinedIfUnable),
  ])
  // A re-link URL can be passed on. Without a known account, another person could link theirs.
  return { ...page, checks, calls, mayRelink: isPinned(page.connection, false) || completion === 'optional' }
}

export async function managedConnection(
  ports: Ports,
  { connectionId, ...on }: OnManagedConnection,
): Promise<ManagedConnectionPage> {
  const { session, tenant } = await ownSession(ports, on)
  const connection = await ports.connections.find(connectionId)
  const isOwn = connection?.tenant === session.tenant && connection.endUserId === session.endUser.id
  if (!isOwn) throw missing('connection')
  if (connection.status === 'disconnected') throw disconnectedAlready()
  return { session, tenant, ...managed(ports, connection) }
}

type Acting = OnManagedConnection & { actor: Actor }

const relinkSeconds = 15 * 60

export async function relinkOwnConnection(ports: Ports, settings: Settings, { actor, ...on }: Acting): Promise<string> {
  const { session, connection } = await managedConnection(ports, on)
  const { url } = await relinkConnection(ports, settings, {
    connectionId: connection.id,
    actor,
    following: 'manage_page',
    ttlSeconds: relinkSeconds,
    locale: session.endUser.locale,
    returnUrl: `${settings.publicUrl}${managePath(session.id)}/connections/${connection.id}`,
  })
  return url
}

export async function disconnectOwnConnection(
  ports: Ports,
  settings: Settings,
  { actor, ...on }: Acting,
): Promise<ManagedConnectionPage & TaskInProgress> {
  const page = await managedConnection(ports, on)
  const connectionId = page.connection.id
  const asked = disconnect(ports, settings, { connectionId, actor, following: 'manage_page' })
  return { ...page, ...(await asked.catch(askedBefore(ports, connectionId))) }
}

const askedBefore =
  ({ tasks }: Ports, connectionId: string) =>
  async (error: unknown): Promise<TaskInProgress> => {
    const isBusy = error instanceof Failure && error.code === 'connection_busy'
    const task = isBusy ? await tasks.underWay(connectionId) : undefined
    if (task?.kind !== 'disconnect') throw error
    return { task, done: Promise.resolve(task) }
  }

export async function endManagePage(
  ports: Ports,
  { actor, ...on }: OnManagePage & { actor: Actor },
): Promise<Pick<ManagePage, 'session' | 'tenant'>> {
  const { session, tenant } = await ownSession(ports, on)
  await ports.manageSessions.revoke(session.id, {
    action: 'manage_session.ended',
    actor,
    subject: aboutSession(session),
    tenant: session.tenant,
    before: { revoked: false },
    after: { revoked: true },
  })
  return { session, tenant }
}

export async function noteForeignForm(
  { manageSessions, audit }: Pick<Ports, 'manageSessions' | 'audit'>,
  { id, actor }: { id: string; actor: Actor },
): Promise<void> {
  const session = await manageSessions.find(id)
  const subject = session && aboutSession(session)
  await audit.note({
    action: 'manage.rejected',
    actor,
    subject,
    tenant: session?.tenant,
    facts: { refusal: 'origin' },
  })
}

/** Unknown, expired, revoked and foreign sessions get the same response. `opener`: audits a rejected opening. */
async function ownSession(ports: Ports, { id, browsers }: OnManagePage, opener?: Actor) {
  const { manageSessions, tenants } = ports
  const session = await manageSessions.find(id)
  const isOwn = session !== undefined && isManagedBy(session, browsers)
  if (session && !isOwn && opener) await refusedOpening(ports, session, opener)
  if (browsers.length === 0) throw connectEnded({ variant: 'cookie_missing' })
  if (!isOwn) throw connectEnded()
  const tenant = await tenants.find(session.tenant)
  if (tenant?.status !== 'active') throw connectEnded()
  return { session, tenant }
}

export async function managePageOwner(
  { manageSessions, tenants, tokens }: Ports,
  { id, browsers }: OnManagePage,
): Promise<PageOwner | EndedSession | undefined> {
  const opened = await manageSessions.find(id)
  const isOwn = opened?.browser !== undefined && browsers.includes(opened.browser)
  const session = isOwn ? opened : await manageSessions.byToken(tokens.digest(id))
  const tenant = session && (await activeTenant({ tenants }, session.tenant))
  const why = session && whyClosed(session, isOwn)
  return tenant && { tenant, returnUrl: session.returnUrl, ...(why && { why }) }
}

function whyClosed(session: ManageSession, isOwn: boolean): EndedSession['why'] | undefined {
  const status = manageStatus(session)
  if (status === 'revoked') return session.browser === undefined ? 'cancelled' : 'used'
  if (status === 'expired') return 'expired'
  return isOwn ? undefined : 'elsewhere'
}

const managed = ({ integrations }: Pick<Ports, 'integrations'>, connection: Connection): ManagedConnection => ({
  connection,
  integration: integrations.of(connection),
})

function undefinedIfUnable(error: unknown): undefined {
  if (error instanceof DependencyError) return undefined
  throw error
}

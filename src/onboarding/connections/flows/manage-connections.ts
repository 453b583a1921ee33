// What a user sees and does on the page where they look after their connections. Everything is asked of the session: the
// browser that opened it, its tenant, and the connections of its user alone.
import type { Actor } from '../../domain/audit/audit.ts'
import { connectEnded } from '../../domain/connect-session.ts'
import type { Connection } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { isManagedBy, type ManageSession, managePath, manageRefusal } from '../../domain/end-users/manage-session.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { HealthCheck } from '../../domain/health/health.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Connections, HealthChecks } from '../../domain/ports/connections.ts'
import type { FunctionAccess, FunctionCall } from '../../domain/ports/function-access.ts'
import type { ManageSessions } from '../../domain/ports/manage-sessions.ts'
import type { Audit, Integrations, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { isPinned } from '../../domain/relink.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { activeTenant } from '../../linking/flows/page-owner.ts'
import { disconnect } from './disconnect.ts'
import { disconnectedAlready } from './own-connection.ts'
import { relinkConnection } from './relink-connection.ts'
import type { TaskInProgress } from './work-on-task.ts'

type Needs = {
  manageSessions: ManageSessions
  connections: Connections
  integrations: Integrations
  tenants: Tenants
  tokens: Tokens
  audit: Audit
}

export type OpenedManagePage = {
  session: ManageSession
  /** The secret for the browser's cookie. Undefined if the browser already has it. */
  browser: string | undefined
}

/** The first hop, with the token: from here on the browser's cookie is what counts. */
export const openManagePage =
  ({ manageSessions, tokens, audit }: Needs) =>
  async ({
    token,
    browsers,
    actor,
  }: {
    token: string
    browsers: string[]
    actor: Actor
  }): Promise<OpenedManagePage> => {
    const secret = tokens.fresh()
    const fresh = tokens.digest(secret)
    const session = await manageSessions.open(tokens.digest(token), { known: browsers, fresh })
    if (!session) throw await refusedOpening({ audit }, await manageSessions.byToken(tokens.digest(token)), actor)
    if (session.browser !== fresh) return { session, browser: undefined }
    const subject = { kind: 'manage_session' as const, id: session.id }
    await audit.note({ action: 'manage_session.opened', actor, subject, tenant: session.tenant })
    return { session, browser: secret }
  }

/** Recorded also for addresses that were never given out, so that guessing shows in the audit. */
async function refusedOpening({ audit }: Pick<Needs, 'audit'>, session: ManageSession | undefined, actor: Actor) {
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

export type OnManagePage = { id: string; browsers: string[] }

export type ManagedConnection = {
  connection: Connection
  /** Undefined if it was removed meanwhile. */
  integration: Integration | undefined
}

export type ManagePage = { session: ManageSession; tenant: Tenant; connections: ManagedConnection[] }

/** More than a person looks after; the newest of them. */
const mostConnections = 100

export const showManagePage =
  (needs: Needs) =>
  async ({ actor, ...on }: OnManagePage & { actor: Actor }): Promise<ManagePage> => {
    const { session, tenant } = await ownSession(needs, on, actor)
    const any = { integration: undefined, status: undefined, cause: undefined, cursor: undefined }
    const own = { tenant: session.tenant, endUserId: session.endUser.id, limit: mostConnections }
    const { data } = await needs.connections.list({ ...any, ...own })
    const inUse = data.filter(({ status }) => status !== 'disconnected')
    return { session, tenant, connections: inUse.map((connection) => managed(needs, connection)) }
  }

export type OnManagedConnection = OnManagePage & { connectionId: string }

export type ManagedConnectionPage = ManagedConnection & { session: ManageSession; tenant: Tenant }

export type ManagedConnectionDetails = ManagedConnectionPage & {
  checks: HealthCheck[]
  /** What the platform has on record; undefined if it does not say. */
  calls: FunctionCall[] | undefined
  /** Whether the user can reconnect it here; else the tenant's server has to create the re-link, and complete it. */
  mayRelink: boolean
}

/** Enough to recognize one's own use, and any other. */
const mostCalls = 20

export const showManagedConnection =
  (
    needs: Needs & { healthChecks: HealthChecks; functionAccess: FunctionAccess },
    { completion }: Pick<Settings, 'completion'>,
  ) =>
  async (on: OnManagedConnection): Promise<ManagedConnectionDetails> => {
    const page = await managedConnection(needs)(on)
    const [checks, calls] = await Promise.all([
      needs.healthChecks.history(page.connection.id),
      needs.functionAccess.listCalls(page.connection, mostCalls).catch(undefinedIfUnable),
    ])
    // The address of a re-link can be passed on: without a known account, another person's would come in.
    return { ...page, checks, calls, mayRelink: isPinned(page.connection, false) || completion === 'optional' }
  }

export const managedConnection =
  (needs: Needs) =>
  async ({ connectionId, ...on }: OnManagedConnection): Promise<ManagedConnectionPage> => {
    const { session, tenant } = await ownSession(needs, on)
    const connection = await needs.connections.find(connectionId)
    const isOwn = connection?.tenant === session.tenant && connection.endUserId === session.endUser.id
    if (!isOwn) throw missing('connection')
    if (connection.status === 'disconnected') throw disconnectedAlready()
    return { session, tenant, ...managed(needs, connection) }
  }

type Acting = OnManagedConnection & { actor: Actor }

/** As long as a user needs who is on their way already. */
const relinkSeconds = 15 * 60

/** Returns the address of the connect page, from which the browser comes back to the page of the connection. */
export const relinkOwnConnection =
  (
    needs: Needs & Parameters<typeof relinkConnection>[0],
    settings: Parameters<typeof relinkConnection>[1] & Pick<Settings, 'publicUrl'>,
  ) =>
  async ({ actor, ...on }: Acting): Promise<string> => {
    const { session, connection } = await managedConnection(needs)(on)
    const { url } = await relinkConnection(
      needs,
      settings,
    )({
      connectionId: connection.id,
      actor,
      following: 'manage_page',
      ttlSeconds: relinkSeconds,
      locale: session.endUser.locale,
      returnUrl: `${settings.publicUrl}${managePath(session.id)}/connections/${connection.id}`,
    })
    return url
  }

export const disconnectOwnConnection =
  (needs: Needs & Parameters<typeof disconnect>[0], settings: Parameters<typeof disconnect>[1]) =>
  async ({ actor, ...on }: Acting): Promise<ManagedConnectionPage & TaskInProgress> => {
    const page = await managedConnection(needs)(on)
    const connectionId = page.connection.id
    const asked = disconnect(needs, settings)({ connectionId, actor, following: 'manage_page' })
    return { ...page, ...(await asked.catch(askedBefore(needs, connectionId))) }
  }

/** Who presses the button twice has asked once: nothing else is at the connection than what they wanted. */
const askedBefore =
  ({ tasks }: Parameters<typeof disconnect>[0], connectionId: string) =>
  async (error: unknown): Promise<TaskInProgress> => {
    const isBusy = error instanceof Failure && error.code === 'connection_busy'
    const task = isBusy ? await tasks.underWay(connectionId) : undefined
    if (task?.kind !== 'disconnect') throw error
    return { task, done: Promise.resolve(task) }
  }

/** What the user does who is done, on a computer that others use: the page is over, in this browser and everywhere. */
export const endManagePage =
  (needs: Needs) =>
  async ({ actor, ...on }: OnManagePage & { actor: Actor }): Promise<Pick<ManagePage, 'session' | 'tenant'>> => {
    const { session, tenant } = await ownSession(needs, on)
    await needs.manageSessions.revoke(session.id, {
      action: 'manage_session.ended',
      actor,
      subject: aboutSession(session),
      tenant: session.tenant,
      before: { revoked: false },
      after: { revoked: true },
    })
    return { session, tenant }
  }

/** A form that another site sent, for the record. */
export const noteForeignForm =
  ({ manageSessions, audit }: Pick<Needs, 'manageSessions' | 'audit'>) =>
  async ({ id, actor }: { id: string; actor: Actor }): Promise<void> => {
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

/**
 * Unknown, over, revoked and another browser's read the same, so that guessing teaches nothing. `opener`: whoever opens
 * the page, for the record; an id that names no session is not worth an entry.
 */
async function ownSession(needs: Needs, { id, browsers }: OnManagePage, opener?: Actor) {
  const { manageSessions, tenants } = needs
  const session = await manageSessions.find(id)
  const isOwn = session !== undefined && isManagedBy(session, browsers)
  if (session && !isOwn && opener) await refusedOpening(needs, session, opener)
  if (browsers.length === 0) throw connectEnded({ variant: 'cookie_missing' })
  if (!isOwn) throw connectEnded()
  const tenant = await tenants.find(session.tenant)
  if (tenant?.status !== 'active') throw connectEnded()
  return { session, tenant }
}

/**
 * For a page that says why it cannot be shown: by the token that opens it, or for the browser that had it open. Nobody
 * else is told whose it was.
 */
export const managePageOwner =
  ({ manageSessions, tenants, tokens }: Needs) =>
  async ({ id, browsers }: OnManagePage): Promise<Tenant | undefined> => {
    const opened = await manageSessions.find(id)
    const isOwn = opened?.browser !== undefined && browsers.includes(opened.browser)
    const session = isOwn ? opened : await manageSessions.byToken(tokens.digest(id))
    return session && activeTenant({ tenants }, session.tenant)
  }

const managed = ({ integrations }: Pick<Needs, 'integrations'>, connection: Connection): ManagedConnection => ({
  connection,
  integration: integrations.of(connection),
})

function undefinedIfUnable(error: unknown): undefined {
  if (error instanceof DependencyError) return undefined
  throw error
}

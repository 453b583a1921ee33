import type { Actor } from '../../domain/audit/audit.ts'
import type { ConnectSession } from '../../domain/connect-session.ts'
import { Failure } from '../../domain/failure.ts'
import type { Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { LinkQuery } from '../../domain/ports/provisioning.ts'
import type { Integrations, Page } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { type Caller, maySee, ownThing, sightOn } from '../../domain/tenant.ts'

export type ById = { caller: Caller; id: string }

export const readSession = async (
  { sessions }: Pick<Ports, 'sessions'>,
  { caller, id }: ById,
): Promise<ConnectSession> => ownThing(await sessions.find(id), caller, 'connect session')

export async function cancelSession(
  { sessions }: Pick<Ports, 'sessions'>,
  { caller, actor, id, reason }: ById & { actor: Actor; reason?: string | undefined },
): Promise<ConnectSession> {
  const session = await readSession({ sessions }, { caller, id })
  const cancelled = await sessions.cancel(id, {
    action: 'session.cancelled',
    actor,
    subject: { kind: 'connect_session', id },
    tenant: session.tenant,
    connection: session.connectionId,
    reason,
    before: { cancelled: false },
    after: { cancelled: true },
  })
  if (!cancelled && !session.cancelledAt) throw new Failure('session_started', 'This session was already started.')
  return readSession({ sessions }, { caller, id })
}

export const readLink = async ({ links }: Pick<Ports, 'links'>, { caller, id }: ById): Promise<Link> =>
  ownThing(await links.find(id), caller, 'link')

export const listLinks = async (
  { links }: Pick<Ports, 'links'>,
  { caller, ...query }: LinkQuery & { caller: Caller },
): Promise<Page<Link>> =>
  isOutside(caller, query.tenant) ? emptyPage : links.list({ ...query, ...sightOn(caller, query.tenant) })

export const readNames = async (
  { tenants, integrations }: { tenants: Pick<Tenants, 'find'>; integrations: Pick<Integrations, 'of'> },
  of: { tenant: string; integration: string },
): Promise<{ app: string; tenant: string }> => ({
  app: integrations.of(of)?.displayName ?? of.integration,
  tenant: (await tenants.find(of.tenant))?.displayName ?? of.tenant,
})

export const emptyPage = { data: [], nextCursor: undefined }

export const isOutside = (caller: Caller, tenant: string | undefined) => tenant !== undefined && !maySee(caller, tenant)

import type { Actor } from '../../domain/audit/audit.ts'
import { connectEnded } from '../../domain/connect-session.ts'
import type { Connection } from '../../domain/connection.ts'
import { missing } from '../../domain/failure.ts'
import type { Integration } from '../../domain/integration.ts'
import { repairReturn } from '../../domain/linking/return-url.ts'
import type { Repair } from '../../domain/ports/function-access.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isPinned } from '../../domain/relink.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { completeLink } from '../../linking/flows/complete-link.ts'
import { type PageOwner, pageOwnerOf } from '../../linking/flows/page-owner.ts'
import { liveConnection } from './own-connection.ts'
import { relinkConnection } from './relink-connection.ts'

export type RepairPage = { connection: Connection; tenant: Tenant; integration: Integration | undefined }

/** The ID of a connection proves nothing about the visitor, who learns only the names of tenant and app. */
export async function showRepairPage(ports: Ports, connectionId: string): Promise<RepairPage> {
  const connection = await liveConnection(ports, { connectionId })
  const owner = await pageOwnerOf(ports, connection)
  if (!owner) throw missing('connection')
  return { connection, tenant: owner.tenant, integration: owner.integration }
}

export const repairPageOwner = async (ports: Ports, connectionId: string): Promise<PageOwner | undefined> => {
  const connection = await ports.connections.find(connectionId)
  return connection && pageOwnerOf(ports, connection)
}

const relinkSeconds = 15 * 60

type Repairing = { connectionId: string; ticket: string; actor: Actor; returned?: Returned | undefined }

type Returned = { sessionId: string; completionCode: string }

type NextPage = { url: string; done: Promise<unknown> }

export async function repairConnection(
  ports: Ports,
  settings: Settings,
  { connectionId, ticket, actor, returned }: Repairing,
): Promise<NextPage> {
  const connection = await liveConnection(ports, { connectionId })
  const repair = await ports.functionAccess.redeemRepair(
    { workspace: connection.workspace, connectionName: connection.name },
    ticket,
  )
  if (!repair || isOfAnother(repair, connection)) throw connectEnded()
  if (returned) return confirm(ports, settings, { connection, repair, actor, ...returned })
  const isKnown = isPinned(connection, false)
  // Any account could be linked, so the tenant has to say who the person is.
  if (repair.isRemembered && !isKnown) return { url: `/repair/${connection.id}`, done: Promise.resolve() }
  const { url } = await relinkConnection(ports, settings, {
    connectionId,
    actor,
    following: 'repair_page',
    ttlSeconds: relinkSeconds,
    ...(!isKnown && confirmationBy(ports, settings, repair)),
  })
  return { url, done: Promise.resolve() }
}

/**
 * A connect URL can be passed on. Without a known account another person could link theirs, so the platform verifies
 * the person again after the consent, in the browser that gave it.
 */
function confirmationBy({ tokens }: Ports, { publicUrl }: Settings, repair: Repair) {
  const completionChallenge = tokens.challenge(verifierOf({ tokens }, repair))
  return { returnUrl: repairReturn(publicUrl, repair.page), completionChallenge }
}

const verifierOf = ({ tokens }: Pick<Ports, 'tokens'>, { id }: Repair): string => tokens.fresh(`repair|${id}`)

type Confirming = Returned & { connection: Connection; repair: Repair; actor: Actor }

/** The code comes from the browser of the consent, and the ticket from the person who made the call. */
async function confirm(
  ports: Ports,
  settings: Settings,
  { connection, repair, actor, sessionId, completionCode }: Confirming,
): Promise<NextPage> {
  const { tenant } = connection
  if ((await ports.sessions.find(sessionId))?.connectionId !== connection.id) throw connectEnded()
  const completionVerifier = verifierOf(ports, repair)
  const caller = { keyId: 'repair_page', tenant, testMode: undefined }
  const { link, done } = await completeLink(ports, settings, {
    caller,
    actor,
    sessionId,
    completionCode,
    completionVerifier,
  })
  return { url: `/links/${link.id}`, done }
}

const isOfAnother = ({ endUserId }: Repair, connection: Connection): boolean =>
  endUserId !== undefined && endUserId !== connection.endUserId

import type { CatalogueItem } from '../../domain/catalogue/catalogue-item.ts'
import type { ChosenSession, ConnectSession } from '../../domain/connect-session.ts'
import { isFull } from '../../domain/end-users/admission.ts'
import { Failure } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'

export async function choosableItems(
  { integrations, tenants }: Pick<Ports, 'integrations' | 'tenants'>,
  { tenant, choices = [] }: Pick<ConnectSession, 'tenant' | 'choices'>,
): Promise<CatalogueItem[]> {
  const own = new Set((await tenants.ownClients(tenant)).map(({ integration }) => integration))
  const named = new Set(choices)
  const isTest = isTestTenant(tenant)
  return integrations
    .items()
    .filter(({ id, isLinkable, isConfigured }) => isLinkable && (isTest || isConfigured || own.has(id)))
    .filter(({ id }) => named.size === 0 || named.has(id))
}

export function chosenSession(session: ConnectSession, app: string | undefined): ChosenSession | undefined {
  const { choices, integration } = session
  const chosen = choices ? app : integration
  if (chosen === undefined || (choices && choices.length > 0 && !choices.includes(chosen))) return undefined
  return { ...session, integration: chosen }
}

type RoomRequest = Pick<ChosenSession, 'tenant' | 'integration' | 'endUser' | 'ifConnected' | 'connectionId'>

/** Rejects before consent if the user has reached the connection limit. Re-links do not count. */
export async function assertRoom(
  { connections, tenants }: Pick<Ports, 'connections' | 'tenants'>,
  asked: RoomRequest,
): Promise<void> {
  const { tenant, integration, endUser, ifConnected, connectionId } = asked
  const max = (await tenants.find(tenant))?.maxConnectionsPerUser ?? 0
  if (max === 0 || ifConnected === 'relink' || connectionId !== undefined) return
  const { count } = await connections.inUse({ tenant, integration, endUserId: endUser.id }, undefined)
  if (!isFull(max, count)) return
  const detail = `The user has ${count} connections to this integration; the maximum is ${max}. Disconnect one first.`
  throw new Failure('connection_limit', detail)
}

type AliasRequest = RoomRequest & { alias?: string | undefined }

/** A session that may re-link is decided after consent: it may be for the account that has the alias. */
export async function assertAliasFree(
  { connections }: Pick<Ports, 'connections'>,
  { tenant, integration, endUser, ifConnected, alias }: AliasRequest,
): Promise<void> {
  if (alias === undefined || ifConnected === 'relink') return
  const taken = await connections.withAlias({ tenant, integration, endUserId: endUser.id }, alias)
  if (taken) throw aliasTaken(taken.id)
}

export const aliasTaken = (connectionId?: string) =>
  new Failure(
    'alias_taken',
    `Another connection of this user to this integration has this alias${connectionId === undefined ? '' : `: ${connectionId}`}. Re-link or rename that one, or choose another alias.`,
  )

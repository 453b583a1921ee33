import { createHash, randomBytes } from 'node:crypto'
import type { ReturnedRepair } from '../../../contract/control-plane/repairs.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { isPerson } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Workloads } from '../domain/connection.ts'
import type { Integrations } from '../domain/integration.ts'
import type { RedeemedTicket, Repair, Repairs, Ways } from '../domain/repair.ts'

type Ports = {
  repairs: Repairs
  workloads: Pick<Workloads, 'findConnection'>
  integrations: Pick<Integrations, 'get'>
}

type GapPorts = {
  repairs: Pick<Repairs, 'open'>
  workloads: Pick<Workloads, 'findConnection'>
  repairPage(id: string): string
}

/** A workspace key names no person, so its calls lead to the product. */
export const grantGaps = ({ repairs, workloads, repairPage }: GapPorts): Ways['grant'] => ({
  async pageFor(gap, { caller, ...at }) {
    if (!isPerson(caller)) return gap.connection.repairUrl
    return repairPage(await repairs.open({ ...at, gap, caller }))
  },
  /** Also if the connection is gone, which the call itself reports. */
  async isOver({ connection: { id, version, name } }, workspace) {
    const found = await workloads.findConnection(workspace, name)
    return found?.id !== id || found.version !== version
  },
})

type ShownRepair = { repair: Repair; app: string; repairUrl: string; isDone: boolean }

/** Undefined if the repair, its connection or the page of the product is gone. */
export async function findRepair({ repairs, workloads, integrations }: Ports, id: string) {
  const repair = await repairs.find(id)
  const connection = repair && (await workloads.findConnection(repair.workspace, repair.connection))
  if (connection?.id !== repair?.connectionId || !repair || !connection?.repairUrl) return undefined
  const { version, integration, repairUrl } = connection
  const app = integrations.get(integration)?.displayName ?? integration
  return { repair, app, repairUrl, isDone: version !== repair.version } satisfies ShownRepair
}

/**
 * The link takes any account. Someone who opened their own login in another person's browser would get the account of
 * that person, so a remembered browser is not enough.
 */
export const givesNewAccess = ({ code }: Repair, returned: ReturnedRepair | undefined): boolean =>
  code === 'not_linked' || returned !== undefined

const ticketSeconds = 60

/** Tells the product that the person in this browser made the call. */
export async function vouchFor(
  { repairs }: Pick<Ports, 'repairs'>,
  { repair, repairUrl }: ShownRepair,
  returned: ReturnedRepair | undefined,
  { isRemembered }: { isRemembered: boolean },
): Promise<Secret> {
  const ticket = randomBytes(32).toString('base64url')
  await repairs.issueTicket(repair.id, { hash: hashOf(ticket), seconds: ticketSeconds, isRemembered })
  const address = new URL(repairUrl)
  for (const [name, value] of Object.entries({ ...returned, ticket })) address.searchParams.set(name, value)
  return new Secret(address.href)
}

export async function redeemTicket(
  { repairs }: Pick<Ports, 'repairs'>,
  at: { workspace: string; connection: string },
  ticket: string,
): Promise<RedeemedTicket> {
  const repair = await repairs.redeemTicket(at, hashOf(ticket))
  if (!repair)
    throw new Failure(
      'resource_unknown',
      'The ticket is not valid: it was used, has expired, or is for another connection.',
    )
  return repair
}

const hashOf = (ticket: string): Buffer => createHash('sha256').update(ticket).digest()

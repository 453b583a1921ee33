import type { Actor } from '../../domain/audit/audit.ts'
import { linkEntry } from '../../domain/audit/audit-entry.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { completionRound, type Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { successEvent } from '../../domain/tenant-event.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { endLink, eventOf } from './end-link.ts'
import { connectedBy } from './first-link-steps.ts'

/** Returns whether the code was sent. If not, it never will be. A worker that crashed may ask again. */
export const wasSent = async ({ marks }: Ports, link: Link): Promise<boolean> =>
  !(await marks.claim('sent', completionRound(link), 'never'))

/**
 * Ends a link whose code was sent, or may have been. If a failover lost the end of the link, the platform still has its
 * connection.
 */
export async function endSent(ports: Ports, settings: Settings, link: Link, actor: Actor): Promise<Link> {
  const found = await findLost(ports, settings, link).catch(undefinedIfFinal)
  if (!found) return endLink(ports, link, { to: 'exchange_unknown', actor, facts: { cause: 'exchange_unknown' } })
  const changes = { ...found, escrow: null, ...eventOf(ports, link, successEvent(link)), takeOver: true }
  const moved = await ports.links.move(link, 'linked', changes, linkEntry(link, 'linked', actor, { recovered: true }))
  return moved ?? (await ports.links.find(link.id)) ?? link
}

async function findLost(ports: Ports, settings: Settings, link: Link) {
  // The connection of a re-link was there before.
  if (link.kind !== 'first' || !(await ports.platform.findConnection(link)).isThere) return undefined
  const ready = await findClient(ports, link).catch(undefinedIfMissing)
  if (!ready) return undefined
  const { url: functionUrl } = await ports.platform.createFunction(link)
  const grantedScopes = ready.integration.scopes.map(({ name }) => name)
  return { functionUrl, grantedScopes, connected: await connectedBy({ ports, settings, ready }, link, undefined) }
}

function undefinedIfFinal(error: unknown): undefined {
  if (error instanceof DependencyError && !error.retry) return undefined
  throw error
}

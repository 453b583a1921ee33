import { type DisconnectRequest, disconnect } from '../../connections/flows/disconnect.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { Failure } from '../../domain/failure.ts'
import { type Link, mayMove } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { expireLink, forgetGrant } from '../../provisioning/flows/stalled-links/end-stalled-link.ts'

/** Ends a link that waits for the user. Other links finish, and their connections are then disconnected. */
export async function letLinkEnd(
  ports: Ports,
  settings: Settings,
  { actor }: { actor: Actor },
  link: Link,
): Promise<void> {
  if (mayMove(link.state, 'abandoned')) {
    await endLink(ports, link, { to: 'abandoned', actor, facts: { cause: 'session_cancelled' } })
  } else if (link.state === 'needs_attention' && !(await expireLink(ports, settings, link))) {
    const left = await ports.links.find(link.id)
    if (left?.state === 'needs_attention') await forgetGrant(ports, left, actor)
  }
}

export async function disconnectOnce(
  ports: Ports,
  settings: Settings,
  request: Pick<DisconnectRequest, 'actor' | 'connectionId'> & { following: 'tenant_deletion' | 'erasure' },
): Promise<void> {
  await disconnect(ports, settings, request).catch((error: unknown) => {
    const isUnderWay = error instanceof Failure && ['connection_busy', 'connection_disconnected'].includes(error.code)
    if (!isUnderWay) throw error
  })
}

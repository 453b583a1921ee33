// How the deletion of a tenant or the erasure of a user ends what is still open.
import { type DisconnectRequest, disconnect } from '../../connections/flows/disconnect.ts'
import type { TaskNeeds } from '../../connections/flows/task-step.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { Failure } from '../../domain/failure.ts'
import { type Link, mayMove } from '../../domain/link.ts'
import type { Background } from '../../domain/ports/shared.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import type { ProvisionNeeds, ProvisionSettings } from '../../provisioning/flows/provision-link.ts'
import { forgetGrant } from '../../provisioning/flows/stalled-links/end-stalled-link.ts'
import { expireLink } from '../../provisioning/flows/stalled-links/expire-stalled-links.ts'

export type EndingNeeds = ProvisionNeeds & TaskNeeds & { background: Background }

export type EndingSettings = ProvisionSettings

/** One that waits for the user ends; one that a worker carries on ends by itself, and what it made is disconnected. */
export async function letLinkEnd(
  needs: EndingNeeds,
  settings: EndingSettings,
  { actor }: { actor: Actor },
  link: Link,
): Promise<void> {
  if (mayMove(link.state, 'abandoned')) {
    await endLink(needs)(link, { to: 'abandoned', actor, facts: { cause: 'session_cancelled' } })
  } else if (link.state === 'needs_attention' && !(await expireLink(needs, settings, link))) {
    const left = await needs.links.find(link.id)
    if (left?.state === 'needs_attention') await forgetGrant(needs, left, actor)
  }
}

export async function disconnectOnce(
  needs: EndingNeeds,
  settings: EndingSettings,
  request: Pick<DisconnectRequest, 'actor' | 'connectionId'> & { following: 'tenant_deletion' | 'erasure' },
): Promise<void> {
  await disconnect(
    needs,
    settings,
  )(request).catch((error: unknown) => {
    const isUnderWay = error instanceof Failure && ['connection_busy', 'connection_disconnected'].includes(error.code)
    if (!isUnderWay) throw error
  })
}

// How a deletion ends what its tenant still has.
import { disconnect } from '../../connections/flows/disconnect.ts'
import type { TaskNeeds } from '../../connections/flows/task-step.ts'
import { Failure } from '../../domain/failure.ts'
import { type Link, mayMove } from '../../domain/link.ts'
import type { TenantDeletions } from '../../domain/ports/offboarding.ts'
import type { Background } from '../../domain/ports/shared.ts'
import type { TenantDeletion } from '../../domain/tenant-deletion.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { forgetGrant } from '../../provisioning/flows/end-stalled-link.ts'
import { expireLink } from '../../provisioning/flows/expire-stalled-links.ts'
import type { ProvisionNeeds, ProvisionSettings } from '../../provisioning/flows/provision-link.ts'

export type DeletionNeeds = ProvisionNeeds & TaskNeeds & { deletions: TenantDeletions; background: Background }

export type DeletionSettings = ProvisionSettings

/** One that waits for the user ends; one that a worker carries on ends by itself, and what it made is disconnected. */
export async function letLinkEnd(
  needs: DeletionNeeds,
  settings: DeletionSettings,
  { actor }: TenantDeletion,
  link: Link,
) {
  if (mayMove(link.state, 'abandoned')) {
    await endLink(needs)(link, { to: 'abandoned', actor, facts: { cause: 'session_cancelled' } })
  } else if (link.state === 'needs_attention' && !(await expireLink(needs, settings, link))) {
    const left = await needs.links.find(link.id)
    if (left?.state === 'needs_attention') await forgetGrant(needs, left, actor)
  }
}

export async function disconnectOnce(
  needs: DeletionNeeds,
  settings: DeletionSettings,
  { actor }: TenantDeletion,
  connectionId: string,
): Promise<void> {
  await disconnect(
    needs,
    settings,
  )({ connectionId, actor, following: 'tenant_deletion' }).catch((error: unknown) => {
    const isUnderWay = error instanceof Failure && ['connection_busy', 'connection_disconnected'].includes(error.code)
    if (!isUnderWay) throw error
  })
}

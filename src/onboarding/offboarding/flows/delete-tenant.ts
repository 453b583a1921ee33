import type { Actor } from '../../domain/audit/audit.ts'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import { missing } from '../../domain/failure.ts'
import type { TenantDeletion } from '../../domain/offboarding/tenant-deletion.ts'
import type { TenantDeletions } from '../../domain/ports/offboarding.ts'
import type { Background } from '../../domain/ports/shared.ts'
import { type Caller, maySee } from '../../domain/tenant.ts'
import { assertDeploymentKey } from '../../tenants/flows/manage-tenants.ts'
import { type DeletionNeeds, type DeletionSettings, workOnDeletion } from './work-on-deletion.ts'

/** A deletion as it stands, and how many connections are still to be disconnected. */
export type DeletionProgress = { deletion: TenantDeletion; connectionsLeft: number }

type OneTenant = { caller: Caller; id: string }

/** Ends a tenant for good. Asking again changes nothing. */
export const deleteTenant =
  (needs: DeletionNeeds & { background: Background }, settings: DeletionSettings) =>
  async ({
    caller,
    actor,
    id,
    reason,
  }: OneTenant & { actor: Actor; reason?: string | undefined }): Promise<DeletionProgress> => {
    if (!maySee(caller, id)) throw missing('tenant', id)
    assertDeploymentKey(caller)
    const before = await needs.tenants.find(id)
    const deletion = await needs.deletions.open(id, actor, {
      action: 'tenant.deletion_started',
      actor,
      ...aboutTenant(id),
      reason,
      before: { status: before?.status ?? null },
      after: { status: 'deleting' },
    })
    if (!deletion) throw missing('tenant')
    await needs.tenants.refresh(id)
    // This process begins it; a sweep continues it should the process end.
    if (before?.status === 'active' || before?.status === 'suspended')
      void needs.background.keep(workOnDeletion(needs, settings)(deletion))
    return progressOf(needs, deletion)
  }

export const readDeletion =
  (needs: { deletions: TenantDeletions }) =>
  async ({ caller, id }: OneTenant): Promise<DeletionProgress> => {
    if (!maySee(caller, id)) throw missing('tenant', id)
    const deletion = await needs.deletions.find(id)
    if (!deletion) throw missing('deletion')
    return progressOf(needs, deletion)
  }

const progressOf = async ({ deletions }: { deletions: TenantDeletions }, deletion: TenantDeletion) => ({
  deletion,
  connectionsLeft: await deletions.countConnections(deletion.tenant),
})

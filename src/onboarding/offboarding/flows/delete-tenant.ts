import type { Actor } from '../../domain/audit/audit.ts'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import { missing } from '../../domain/failure.ts'
import type { TenantDeletion } from '../../domain/offboarding/tenant-deletion.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { type Caller, maySee, missingTenant } from '../../domain/tenant.ts'
import { assertDeploymentKey } from '../../tenants/flows/manage-tenants.ts'
import { workOnDeletion } from './work-on-deletion.ts'

export type DeletionProgress = { deletion: TenantDeletion; connectionsLeft: number }

type OneTenant = { caller: Caller; id: string }

export async function deleteTenant(
  ports: Ports,
  settings: Settings,
  { caller, actor, id, reason }: OneTenant & { actor: Actor; reason?: string | undefined },
): Promise<DeletionProgress> {
  if (!maySee(caller, id)) throw missingTenant(caller, id)
  assertDeploymentKey(caller)
  const before = await ports.tenants.find(id)
  const deletion = await ports.deletions.open(id, actor, {
    action: 'tenant.deletion_started',
    actor,
    ...aboutTenant(id),
    reason,
    before: { status: before?.status ?? null },
    after: { status: 'deleting' },
  })
  if (!deletion) throw missing('tenant')
  await ports.tenants.refresh(id)
  // If this process dies, the sweep continues.
  if (before?.status === 'active' || before?.status === 'suspended')
    void ports.background.keep(workOnDeletion(ports, settings, deletion))
  return progressOf(ports, deletion)
}

export async function readDeletion(ports: Ports, { caller, id }: OneTenant): Promise<DeletionProgress> {
  if (!maySee(caller, id)) throw missingTenant(caller, id)
  const deletion = await ports.deletions.find(id)
  if (!deletion) throw missing('deletion')
  return progressOf(ports, deletion)
}

const progressOf = async ({ deletions }: Ports, deletion: TenantDeletion) => ({
  deletion,
  connectionsLeft: await deletions.countConnections(deletion.tenant),
})

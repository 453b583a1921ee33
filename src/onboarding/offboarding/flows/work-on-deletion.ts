import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import type { ConnectionStatus } from '../../domain/connection.ts'
import {
  type DeletionStep,
  maxNotifySeconds,
  rememberedSeconds,
  type TenantDeletion,
} from '../../domain/offboarding/tenant-deletion.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { deletedEvent } from '../../domain/tenant-event.ts'
import { disconnectOnce, letLinkEnd } from './end-what-is-open.ts'
import { movedTo, resumeDue, type StepOutcome, type SteppedWork, waiting, workThrough } from './stepped-work.ts'

type Work = (ports: Ports, settings: Settings, deletion: TenantDeletion) => Promise<StepOutcome<TenantDeletion>>

const works: Record<Exclude<DeletionStep, 'done'>, Work> = {
  async ending_links(ports, settings, deletion) {
    const { tenant, actor } = deletion
    await ports.deletions.cancelSessions(tenant, {
      action: 'tenant.sessions_cancelled',
      actor,
      ...aboutTenant(tenant),
    })
    const open = [
      ...(await linksWith(ports, tenant, 'pending')),
      ...(await linksWith(ports, tenant, 'needs_attention')),
    ]
    for (const link of open) await letLinkEnd(ports, settings, deletion, link)
    if (open.length > 0) return waiting
    return movedTo(await ports.deletions.move(deletion, 'disconnecting'))
  },
  async disconnecting(ports, settings, deletion) {
    const open = [
      ...(await connectionsWith(ports, deletion.tenant, 'active')),
      ...(await connectionsWith(ports, deletion.tenant, 'needs_relink')),
      ...(await connectionsWith(ports, deletion.tenant, 'not_linked')),
    ]
    const request = { actor: deletion.actor, following: 'tenant_deletion' as const }
    for (const { id } of open) await disconnectOnce(ports, settings, { connectionId: id, ...request })
    if (open.length > 0) return waiting
    const event = { id: ports.tokens.id('evt'), ...deletedEvent() }
    return movedTo(await ports.deletions.announce(deletion, event))
  },
  async notifying({ deletions }, _settings, deletion) {
    const isWaiting = deletion.stepAgeSeconds < maxNotifySeconds
    if (isWaiting && (await deletions.hasUnsentMessages(deletion.tenant))) return waiting
    return movedTo(await deletions.move(deletion, 'erasing'))
  },
  async erasing({ deletions, tenants }, _settings, deletion) {
    const { tenant, actor } = deletion
    if (deletion.ageSeconds < rememberedSeconds) return waiting
    // A process with a stale tenant cache may have started something, so repeat all steps.
    if ((await deletions.countOpen(tenant)) > 0) return movedTo(await deletions.move(deletion, 'ending_links'))
    const change = { before: { status: 'deleting' }, after: { status: 'deleted' } }
    const done = await deletions.finish(deletion, {
      action: 'tenant.deleted',
      actor,
      ...aboutTenant(tenant),
      ...change,
    })
    await tenants.refresh(tenant)
    return movedTo(done)
  },
}

const steps = (ports: Ports, settings: Settings): SteppedWork<TenantDeletion> => ({
  takeStep: (at) => (at.step === 'done' ? undefined : works[at.step](ports, settings, at)),
  postpone: (at, seconds) => ports.deletions.postpone(at, seconds),
  claimDue: (limit) => ports.deletions.claimDue(limit),
  minWaitSeconds: 5,
})

export const workOnDeletion = (ports: Ports, settings: Settings, deletion: TenantDeletion) =>
  workThrough(steps(ports, settings), deletion)

export const resumeDeletions = (ports: Ports, settings: Settings) => resumeDue(steps(ports, settings))

const batch = 50

const linksWith = async ({ links }: Ports, tenant: string, status: 'pending' | 'needs_attention') =>
  (await links.list({ tenant, status, cause: undefined, cursor: undefined, limit: batch })).data

const connectionsWith = async ({ connections }: Ports, tenant: string, status: ConnectionStatus) => {
  const none = { integration: undefined, cause: undefined, endUserId: undefined, cursor: undefined }
  return (await connections.list({ ...none, tenant, status, limit: batch })).data
}

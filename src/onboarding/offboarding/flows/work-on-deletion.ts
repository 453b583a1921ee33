// Carries the deletion of a tenant through its steps. Each step can be repeated, and any process can do the next one.
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import {
  type DeletionStep,
  longestNotifySeconds,
  rememberedSeconds,
  type TenantDeletion,
} from '../../domain/offboarding/tenant-deletion.ts'
import type { TenantDeletions } from '../../domain/ports/offboarding.ts'
import { deletedEvent } from '../../domain/tenant-event.ts'
import { disconnectOnce, type EndingNeeds, type EndingSettings, letLinkEnd } from './end-what-is-open.ts'
import { movedTo, resumeDue, type StepOutcome, type SteppedWork, waiting, workThrough } from './stepped-work.ts'

export type DeletionNeeds = EndingNeeds & { deletions: TenantDeletions }

export type DeletionSettings = EndingSettings

type Work = (
  needs: DeletionNeeds,
  settings: DeletionSettings,
  deletion: TenantDeletion,
) => Promise<StepOutcome<TenantDeletion>>

const works: Record<Exclude<DeletionStep, 'done'>, Work> = {
  async ending_links(needs, settings, deletion) {
    const { tenant, actor } = deletion
    await needs.deletions.cancelSessions(tenant, {
      action: 'tenant.sessions_cancelled',
      actor,
      ...aboutTenant(tenant),
    })
    const open = [
      ...(await linksWith(needs, tenant, 'pending')),
      ...(await linksWith(needs, tenant, 'needs_attention')),
    ]
    for (const link of open) await letLinkEnd(needs, settings, deletion, link)
    if (open.length > 0) return waiting
    return movedTo(await needs.deletions.move(deletion, 'disconnecting'))
  },
  async disconnecting(needs, settings, deletion) {
    const open = [
      ...(await connectionsWith(needs, deletion.tenant, 'active')),
      ...(await connectionsWith(needs, deletion.tenant, 'needs_relink')),
    ]
    const request = { actor: deletion.actor, following: 'tenant_deletion' as const }
    for (const { id } of open) await disconnectOnce(needs, settings, { connectionId: id, ...request })
    if (open.length > 0) return waiting
    const event = { id: needs.tokens.id('evt'), ...deletedEvent() }
    return movedTo(await needs.deletions.announce(deletion, event))
  },
  async notifying({ deletions }, _settings, deletion) {
    const isWaiting = deletion.stepAgeSeconds < longestNotifySeconds
    if (isWaiting && (await deletions.hasUnsentMessages(deletion.tenant))) return waiting
    return movedTo(await deletions.move(deletion, 'erasing'))
  },
  async erasing({ deletions, tenants }, _settings, deletion) {
    const { tenant, actor } = deletion
    if (deletion.ageSeconds < rememberedSeconds) return waiting
    // A process that had not heard of it may have begun something: then everything is gone through once more.
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

const steps = (needs: DeletionNeeds, settings: DeletionSettings): SteppedWork<TenantDeletion> => ({
  takeStep: (at) => (at.step === 'done' ? undefined : works[at.step](needs, settings, at)),
  postpone: (at, seconds) => needs.deletions.postpone(at, seconds),
  claimDue: (limit) => needs.deletions.claimDue(limit),
  shortestWaitSeconds: 5,
})

export const workOnDeletion = (needs: DeletionNeeds, settings: DeletionSettings) => workThrough(steps(needs, settings))

export const resumeDeletions = (needs: DeletionNeeds, settings: DeletionSettings) => resumeDue(steps(needs, settings))

const batch = 50

const linksWith = async ({ links }: DeletionNeeds, tenant: string, status: 'pending' | 'needs_attention') =>
  (await links.list({ tenant, status, cause: undefined, cursor: undefined, limit: batch })).data

const connectionsWith = async ({ connections }: DeletionNeeds, tenant: string, status: 'active' | 'needs_relink') => {
  const none = { integration: undefined, cause: undefined, endUserId: undefined, cursor: undefined }
  return (await connections.list({ ...none, tenant, status, limit: batch })).data
}

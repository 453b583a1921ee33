import type { Actor } from '../audit/audit.ts'

/** In this order: stop new work, disconnect, notify the tenant while its endpoints exist, then wipe its secrets. */
export const deletionSteps = ['ending_links', 'disconnecting', 'notifying', 'erasing', 'done'] as const
export type DeletionStep = (typeof deletionSteps)[number]

export type TenantDeletion = {
  tenant: string
  step: DeletionStep
  actor: Actor
  fence: number
  ageSeconds: number
  stepAgeSeconds: number
  startedAt: Date
  updatedAt: Date
}

/** Caches of other processes may still show the tenant as active for this long. */
export const rememberedSeconds = 15

export const maxNotifySeconds = 24 * 60 * 60

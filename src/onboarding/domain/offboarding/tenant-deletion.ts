// Ending a tenant takes several steps outside: each can be repeated, and any process carries on from the one that is
// written down.
import type { Actor } from '../audit/audit.ts'

/**
 * In this order: nothing may begin any more, then what stands on the platform and at providers goes, then the tenant is
 * told while its endpoints still exist, and its secrets go last.
 */
export const deletionSteps = ['ending_links', 'disconnecting', 'notifying', 'erasing', 'done'] as const
export type DeletionStep = (typeof deletionSteps)[number]

export type TenantDeletion = {
  tenant: string
  step: DeletionStep
  /** Who asked for it. */
  actor: Actor
  /** Counts who took it up: a worker whose number is old can no longer write. */
  fence: number
  /** By the store's clock, so that the clocks of several processes need not agree. */
  ageSeconds: number
  stepAgeSeconds: number
  startedAt: Date
  updatedAt: Date
}

/** Other processes may remember for a moment that the tenant is active, and begin something for it. */
export const rememberedSeconds = 15

/** Its endpoints are sent the last events for this long; an endpoint that does not answer is not waited for longer. */
export const longestNotifySeconds = 24 * 60 * 60

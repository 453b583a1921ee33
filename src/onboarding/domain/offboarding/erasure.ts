import type { Actor } from '../audit/audit.ts'
import type { Cause } from '../cause.ts'
import type { Revocation } from '../connection-task.ts'

/** In this order: stop new work, disconnect, notify while messages still name the user, then erase the name. */
export const erasureSteps = ['ending_links', 'disconnecting', 'notifying', 'erasing', 'done'] as const
export type ErasureStep = (typeof erasureSteps)[number]

export const isErasedUser = (endUserId: string): boolean => endUserId.startsWith('ers_')

export type Erasure = {
  id: string
  tenant: string
  subject: string
  endUserId: string | undefined
  step: ErasureStep
  cause: Cause | undefined
  /** Endpoints with undelivered messages, and how long to wait for them. */
  notifying: { webhookIds: string[]; until: Date } | undefined
  actor: Actor
  fence: number
  stepAgeSeconds: number
  receipt: ErasureReceipt | undefined
  requestedAt: Date
  updatedAt: Date
  finishedAt: Date | undefined
}

export type OpenErasure = Erasure & { endUserId: string }

export const isOpenErasure = (erasure: Erasure): erasure is OpenErasure => erasure.endUserId !== undefined

export type ErasureReceipt = { grants: ErasedGrant[]; removed: Record<RemovedKind, number> }

export type ErasedGrant = {
  integration: string
  connectionId?: string | undefined
  linkId?: string | undefined
  revocation: Revocation
}

/** Records that named the person. Manage sessions are deleted; the others name the erasure instead. */
export const removedKinds = [
  'connectSessions',
  'manageSessions',
  'links',
  'connections',
  'importRows',
  'events',
  'auditEntries',
] as const
export type RemovedKind = (typeof removedKinds)[number]

export const linkRevocations = {
  revoked: 'revoked',
  not_offered: 'not_offered',
  client_gone: 'client_gone',
  shared: 'shared',
  unrevoked: 'refused',
} as const satisfies Record<string, Revocation>

/** After this time the user's last events are sent without the user ID. */
export const maxErasureNotifySeconds = 60 * 60

export const notifiedUntil = (since: Date): Date => new Date(since.getTime() + maxErasureNotifySeconds * 1_000)

/** Reasons stay in the audit log, so they must not contain the user ID. */
export const namesUser = (text: string, endUserId: string): boolean =>
  text.toLowerCase().includes(endUserId.toLowerCase())

// The erasure of one end user takes several steps outside: each can be repeated, and any process carries on from the one
// that is written down.
import type { Actor } from '../audit/audit.ts'
import type { Cause } from '../cause.ts'
import type { Revocation } from '../connection-task.ts'

/**
 * In this order: nothing may begin any more, then what stands on the platform and at providers goes, then the tenant is
 * told while the messages still say whom they are about, and what names the person goes last.
 */
export const erasureSteps = ['ending_links', 'disconnecting', 'notifying', 'erasing', 'done'] as const
export type ErasureStep = (typeof erasureSteps)[number]

/** Rows that stay call an erased user by the erasure. */
export const isErasedUser = (endUserId: string): boolean => endUserId.startsWith('ers_')

export type Erasure = {
  /** Stands for the user wherever a row has to stay. */
  id: string
  tenant: string
  /** A keyed hash of the user's id, by which a later request for the same user is recognized. */
  subject: string
  /** Undefined once it is done. */
  endUserId: string | undefined
  step: ErasureStep
  /** What it waits for; undefined if nothing holds it up. */
  cause: Cause | undefined
  /** While it waits for messages: the endpoints that have not got one of theirs, and until when it waits. */
  notifying: { webhookIds: string[]; until: Date } | undefined
  /** Who asked for it. */
  actor: Actor
  /** Counts who took it up: a worker whose number is old can no longer write. */
  fence: number
  /** By the store's clock, so that the clocks of several processes need not agree. */
  stepAgeSeconds: number
  /** Undefined until it is done. */
  receipt: ErasureReceipt | undefined
  requestedAt: Date
  updatedAt: Date
  finishedAt: Date | undefined
}

/** One whose work is not done yet, so the user is still known. */
export type OpenErasure = Erasure & { endUserId: string }

export const isOpenErasure = (erasure: Erasure): erasure is OpenErasure => erasure.endUserId !== undefined

/** What was done, without naming the person. */
export type ErasureReceipt = { grants: ErasedGrant[]; removed: Record<RemovedKind, number> }

/** What became of a grant at its provider. Of one that never became a connection, the link is named. */
export type ErasedGrant = {
  integration: string
  connectionId?: string | undefined
  linkId?: string | undefined
  revocation: Revocation
}

/** Records that named the person. Manage sessions are deleted; what has to stay names the erasure instead. */
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

/** What a link that ended says of its grant, in the words of a disconnect. */
export const linkRevocations = {
  revoked: 'revoked',
  not_offered: 'not_offered',
  client_gone: 'client_gone',
  shared: 'shared',
  unrevoked: 'refused',
} as const satisfies Record<string, Revocation>

/** The user's last events wait for their endpoints so long; after that they are sent without the user's id. */
export const longestErasureNotifySeconds = 60 * 60

export const notifiedUntil = (since: Date): Date => new Date(since.getTime() + longestErasureNotifySeconds * 1_000)

/** A reason stays in the audit log for good, so it must not say what is erased. */
export const namesUser = (text: string, endUserId: string): boolean =>
  text.toLowerCase().includes(endUserId.toLowerCase())

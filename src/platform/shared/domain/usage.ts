import type { BillingDimension, ResourceType } from '../../../contract/billing/metrics.ts'

export type UsageDimension = BillingDimension

/** One measured use. The same `eventId` counts once, however often it is recorded. */
export type UsageEvent = {
  eventId: string
  workspace: string
  resourceType: ResourceType
  resourceName: string
  resourceUuid: string
  dimension: UsageDimension
  quantity: number
  startedAt: Date
  endedAt: Date
}

/** Far above what any resource could use in a lifetime. */
const mostUsed = 1e15

/**
 * Whether an event is plausible: not negative, not impossibly large, at a valid time. An implausible one would falsify a
 * sum for good, and the store refuses a whole batch for one of them.
 */
export function isPlausible({ quantity, startedAt, endedAt }: UsageEvent): boolean {
  const possible = quantity >= 0 && quantity < mostUsed
  return possible && startedAt <= endedAt && startedAt.getTime() >= 0 && endedAt.getUTCFullYear() <= 9999
}

export type Usage = {
  /** When this returns, the event survives a crash of this process. It is billed about a second later. */
  record(event: UsageEvent): void
}

/** Where notes wait until they are stored, out of reach of a crash. */
export type UsageSpool = {
  add(note: string): void
  /** What was added since the last call. Returns undefined if nothing was. */
  take(): SpoolPart | undefined
  /** What processes that died did not get around to store, and what this one gave up. */
  abandoned(): Promise<SpoolPart[]>
}

export type SpoolPart = {
  notes: readonly string[]
  /** They are stored. */
  remove(): Promise<void>
  /** They are not, and somebody shall try again later. */
  abandon(): void
}

/** Gigabyte-seconds: the unit of everything that runs. A clock that was set back meanwhile gives nobody a credit. */
export const gigabyteSeconds = (memoryMb: number, startedAt: Date, endedAt: Date): number =>
  (memoryMb / 1024) * (Math.max(0, endedAt.getTime() - startedAt.getTime()) / 1000)

import type { BillingDimension, ResourceType } from '../../../contract/billing/metrics.ts'

export type UsageEvent = {
  eventId: string
  workspace: string
  resourceType: ResourceType
  resourceName: string
  resourceUuid: string
  dimension: BillingDimension
  quantity: number
  startedAt: Date
  endedAt: Date
}

const maxQuantity = 1e15

/** An implausible event would permanently corrupt sums, and the database would reject its whole batch. */
export function isPlausible({ quantity, startedAt, endedAt }: UsageEvent): boolean {
  const possible = quantity >= 0 && quantity < maxQuantity
  return possible && startedAt <= endedAt && startedAt.getTime() >= 0 && endedAt.getUTCFullYear() <= 9999
}

export type Usage = {
  /** The event survives a crash after this returns. It is billed about a second later. */
  record(event: UsageEvent): void
}

/** Stores notes across crashes until they are in the database. */
export type UsageSpool = {
  add(note: string): void
  take(): SpoolPart | undefined
  abandoned(): Promise<SpoolPart[]>
}

export type SpoolPart = {
  notes: readonly string[]
  remove(): Promise<void>
  abandon(): void
}

/** Not negative, even if the clock was set back. */
export const gigabyteSeconds = (memoryMb: number, startedAt: Date, endedAt: Date): number =>
  (memoryMb / 1024) * (Math.max(0, endedAt.getTime() - startedAt.getTime()) / 1000)

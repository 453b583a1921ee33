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

export type Usage = { record(event: UsageEvent): void }

/** Gigabyte-seconds: the unit of everything that runs. */
export const gigabyteSeconds = (memoryMb: number, startedAt: Date, endedAt: Date): number =>
  (memoryMb / 1024) * ((endedAt.getTime() - startedAt.getTime()) / 1000)

/** The dimensions of the interface document that something here measures. */
export type UsageDimension =
  | 'sandbox_compute_runtime_gbs'
  | 'agent_compute_runtime_gbs'
  | 'agent_async_requests_count'
  | 'job_compute_runtime_gbs'
  | 'mcp_server_compute_runtime_gbs'

/** One measured use. The same `eventId` counts once, however often it is recorded. */
export type UsageEvent = {
  eventId: string
  workspace: string
  resourceType: 'sandbox' | 'agent' | 'job' | 'mcp_server'
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

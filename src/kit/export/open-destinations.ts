import type { Secret } from '../crypto/secret.ts'
import { guardedFetch, hostAndPort } from '../fetch/guarded-fetch.ts'
import type { ExportDestination } from './destination.ts'
import { ndjsonFolder } from './ndjson-folder.ts'
import { otlpLogs } from './otlp-logs.ts'
import { webhookBatches } from './webhook-batches.ts'

export type ExportSettings = {
  folder: string | undefined
  otlp: string | undefined
  headers: Readonly<Record<string, string>>
  webhook: { url: string; secrets: readonly Secret[] } | undefined
}

type Stream = { service: string; scope: string; type: string }

type OpenedDestinations = { destinations: readonly ExportDestination[]; close(): Promise<void> }

/** The operator names the receivers, so they may have private addresses. */
export function openDestinations(settings: ExportSettings, stream: Stream): OpenedDestinations {
  const { folder, otlp, headers, webhook } = settings
  const receivers = [otlp, webhook?.url].filter((url) => url !== undefined)
  const fetch = guardedFetch({ allow: receivers.map((url) => hostAndPort(new URL(url))) })
  const destinations = [
    ...(folder === undefined ? [] : [ndjsonFolder(folder)]),
    ...(otlp === undefined ? [] : [otlpLogs(fetch, { ...stream, endpoint: otlp, headers })]),
    ...(webhook ? [webhookBatches(fetch, { ...stream, ...webhook })] : []),
  ]
  return { destinations, close: fetch.close }
}

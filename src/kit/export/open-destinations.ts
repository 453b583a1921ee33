import { guardedFetch, hostAndPort } from '../fetch/guarded-fetch.ts'
import type { ExportDestination } from './destination.ts'
import { ndjsonFolder } from './ndjson-folder.ts'
import { otlpLogs } from './otlp-logs.ts'

export type ExportSettings = {
  folder: string | undefined
  otlp: string | undefined
  headers: Readonly<Record<string, string>>
}

type Stream = { service: string; scope: string }

type OpenedDestinations = { destinations: readonly ExportDestination[]; close(): Promise<void> }

/** The operator names the receivers, so they may have private addresses. */
export function openDestinations({ folder, otlp, headers }: ExportSettings, stream: Stream): OpenedDestinations {
  const fetch = guardedFetch({ allow: otlp === undefined ? [] : [hostAndPort(new URL(otlp))] })
  const destinations = [
    ...(folder === undefined ? [] : [ndjsonFolder(folder)]),
    ...(otlp === undefined ? [] : [otlpLogs(fetch, { ...stream, endpoint: otlp, headers })]),
  ]
  return { destinations, close: fetch.close }
}

// OTLP 1.x over HTTP with JSON (opentelemetry-proto, logs/v1): numbers of 64 bits are strings, names are lowerCamelCase.
import type { GuardedFetch } from '../fetch/guarded-fetch.ts'
import type { ExportDestination, ExportedRecord } from './destination.ts'
import { assertAccepted, maxBodyBytes } from './receiver-answer.ts'

type Exporter = { service: string; scope: string; endpoint: string; headers: Readonly<Record<string, string>> }

export const otlpLogs = (fetch: GuardedFetch, { service, scope, endpoint, headers }: Exporter): ExportDestination => ({
  name: 'otlp',
  pauseSeconds: 5,
  maxBytes: maxBodyBytes,
  async send({ records }) {
    const answer = await fetch(`${endpoint.replace(/\/$/, '')}/v1/logs`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        resourceLogs: [
          {
            resource: { attributes: [attribute('service.name', service)] },
            scopeLogs: [{ scope: { name: scope }, logRecords: records.map(logRecord) }],
          },
        ],
      }),
    })
    assertAccepted(answer)
    return { rejected: rejectedIn(answer.body) }
  },
})

/** A partial success must not be sent again (opentelemetry.io/docs/specs/otlp, "Partial Success"). */
function rejectedIn(body: Buffer): number {
  try {
    return Number(JSON.parse(body.toString()).partialSuccess?.rejectedLogRecords) || 0
  } catch {
    return 0 // an empty answer, or another format
  }
}

/** SEVERITY_NUMBER_INFO. */
const info = 9

const logRecord = ({ id, atMicros, attributes, line }: ExportedRecord) => ({
  ...(atMicros !== undefined && { timeUnixNano: String(atMicros * 1_000n) }),
  severityNumber: info,
  severityText: 'INFO',
  body: { stringValue: line },
  attributes: Object.entries({ 'log.record.uid': id, ...attributes }).map(([key, value]) => attribute(key, value)),
})

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })

// OTLP 1.x over HTTP with JSON (opentelemetry-proto, logs/v1): numbers of 64 bits are strings, names are lowerCamelCase.
import type { GuardedFetch } from '../fetch/guarded-fetch.ts'
import { type ExportDestination, type ExportedRecord, ExportRefused } from './destination.ts'

type Exporter = { service: string; scope: string; endpoint: string; headers: Readonly<Record<string, string>> }

/** A batch counts as received only after a 2xx, so a receiver that rejects it stops the export instead of losing it. */
export const otlpLogs = (fetch: GuardedFetch, { service, scope, endpoint, headers }: Exporter): ExportDestination => ({
  name: 'otlp',
  pauseSeconds: 5,
  async send({ records }) {
    const { status } = await fetch(`${endpoint.replace(/\/$/, '')}/v1/logs`, {
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
    if (status < 200 || status > 299) throw new ExportRefused(`the receiver answered ${status}`)
  },
})

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

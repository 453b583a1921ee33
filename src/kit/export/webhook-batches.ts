import { hash } from 'node:crypto'
import type { Secret } from '../crypto/secret.ts'
import { webhookHeaders } from '../crypto/webhook-headers.ts'
import type { GuardedFetch } from '../fetch/guarded-fetch.ts'
import type { ExportDestination } from './destination.ts'
import { assertAccepted } from './receiver-answer.ts'

type Receiver = { url: string; secrets: readonly Secret[]; type: string }

/** Signing blocks the event loop. The library signs about 50 MB a second. */
const maxBodyBytes = 250_000

export const webhookBatches = (fetch: GuardedFetch, { url, secrets, type }: Receiver): ExportDestination => ({
  name: 'webhook',
  pauseSeconds: 5,
  maxBytes: maxBodyBytes,
  async send({ records }) {
    const at = new Date()
    const lines = records.map(({ line }) => line).join(',')
    const body = `{"type":"${type}","timestamp":"${at.toISOString()}","data":{"records":[${lines}]}}`
    // Derived from the records alone, because positions repeat after a backup was restored.
    const id = `exp_${hash('sha256', lines, 'hex').slice(0, 32)}`
    assertAccepted(await fetch(url, { method: 'POST', headers: webhookHeaders({ id, at, body, secrets }), body }))
    return { rejected: 0 }
  },
})

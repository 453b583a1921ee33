import type { Answer } from '../fetch/guarded-fetch.ts'
import { retryAfterSeconds } from '../fetch/retry-after.ts'
import { ExportRefused } from './destination.ts'

/** Many receivers reject bodies above a few MB. */
export const maxBodyBytes = 1_000_000

/** Only a 2xx: a receiver that rejects a batch stops the export instead of losing it. */
export function assertAccepted({ status, headers }: Answer): void {
  if (status >= 200 && status <= 299) return
  throw new ExportRefused(`the receiver answered ${status}`, retryAfterSeconds(headers['retry-after'], Date.now()))
}

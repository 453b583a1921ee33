import { FetchError, type GuardedFetch, guardedFetch } from '../../../kit/fetch/guarded-fetch.ts'
import type { Delivery } from '../../shared/domain/callback.ts'

/** Tenants choose callback addresses, so requests are guarded against SSRF. Only a 2xx counts as delivered. */
export function callbackSender(allow: readonly string[]) {
  const call: GuardedFetch = guardedFetch({ allow })
  return {
    async send(url: string, headers: Record<string, string>, body: string): Promise<Delivery> {
      try {
        const { status } = await call(url, { method: 'POST', headers, body })
        return status >= 200 && status < 300 ? { taken: true } : untaken(`it answered ${status}`)
      } catch (error) {
        const isBlocked = error instanceof FetchError && error.kind === 'blocked'
        return isBlocked ? { ...untaken('its address is blocked'), refused: true } : untaken('it did not answer')
      }
    },
    mayCall: call.mayCall,
    close: call.close,
  }
}

const untaken = (reason: string) => ({ taken: false, refused: false, reason }) as const

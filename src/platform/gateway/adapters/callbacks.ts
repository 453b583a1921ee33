import { type GuardedFetch, guardedFetch } from '../../../kit/guarded-fetch.ts'

/** Callbacks go to addresses that tenants chose: guarded, and anything but a 2xx is not taken. */
export function callbackSender(allow: readonly string[]) {
  const call: GuardedFetch = guardedFetch({ allow })
  return {
    async send(url: string, headers: Record<string, string>, body: string): Promise<boolean> {
      const answer = await call(url, { method: 'POST', headers, body }).catch(() => undefined)
      return answer !== undefined && answer.status >= 200 && answer.status < 300
    },
    close: call.close,
  }
}

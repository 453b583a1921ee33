// Which request an answer belongs to: the library does not say, and leaves requests waiting whose answers broke off.
import type { Exchange } from '../../domain/vendor/vendor-mcp.ts'

/** Goes as far as our own fetch, which takes it off. */
export const trackingHeader = 'x-tracked-request'

export type TrackedRequest = {
  key: string
  signal: AbortSignal
  /** Why it failed, if that was here. */
  readonly reason: Error | undefined
  fail(reason: Error): void
  /** Unless the answer that has arrived already is read first. */
  failSoon(reason: Error): void
  /** Called once nobody waits for the answer: it has come, or is not wanted any more. */
  onEnd(listener: () => void): void
  end(): void
}

export type TrackedRequests = {
  start(exchange: Exchange): TrackedRequest
  of(key: string | null): TrackedRequest | undefined
}

const readWithinMs = 1_000

export function trackedRequests(): TrackedRequests {
  const open = new Map<string, TrackedRequest>()
  let last = 0
  return {
    start({ signal }) {
      const controller = new AbortController()
      const leave = () => controller.abort(signal.reason)
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      const key = String(++last)
      let reason: Error | undefined
      let timer: NodeJS.Timeout | undefined
      const listeners: (() => void)[] = []
      const fail = (why: Error) => {
        reason ??= why
        controller.abort(why)
      }
      const request: TrackedRequest = {
        key,
        signal: controller.signal,
        get reason() {
          return reason
        },
        fail,
        failSoon(why) {
          timer ??= setTimeout(() => fail(why), readWithinMs)
        },
        onEnd: (listener) => void listeners.push(listener),
        end() {
          for (const listener of listeners) listener()
          clearTimeout(timer)
          signal.removeEventListener('abort', leave)
          open.delete(key)
        },
      }
      open.set(key, request)
      return request
    },
    of: (key) => (key === null ? undefined : open.get(key)),
  }
}

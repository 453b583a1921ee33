// Links responses to requests: the library does not, and it keeps waiting for responses that broke off.
import type { Exchange } from '../../domain/vendor/vendor-mcp.ts'

export const trackingHeader = 'x-tracked-request'

export type TrackedRequests = ReturnType<typeof trackedRequests>

export function trackedRequests() {
  const open = new Map<string, TrackedRequest>()
  let last = 0
  return {
    start(exchange: Exchange): TrackedRequest {
      const key = String(++last)
      const request = trackedRequest(key, exchange, () => open.delete(key))
      open.set(key, request)
      return request
    },
    of: (key: string | null) => (key === null ? undefined : open.get(key)),
  }
}

export type TrackedRequest = ReturnType<typeof trackedRequest>

const readWithinMs = 1_000

function trackedRequest(key: string, { signal, asker }: Exchange, forget: () => void) {
  const controller = new AbortController()
  const leave = () => controller.abort(signal.reason)
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  let reason: Error | undefined
  let timer: NodeJS.Timeout | undefined
  const listeners: (() => void)[] = []
  const fail = (why: Error) => {
    reason ??= why
    controller.abort(why)
  }
  return {
    key,
    signal: controller.signal,
    mayAsk: asker !== undefined,
    get reason() {
      return reason
    },
    fail,
    /** Lets the library read a response that has already arrived. */
    failSoon(why: Error) {
      timer ??= setTimeout(() => fail(why), readWithinMs)
    },
    onEnd: (listener: () => void) => void listeners.push(listener),
    end() {
      for (const listener of listeners) listener()
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      forget()
    },
  }
}

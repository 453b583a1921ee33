import type { Gone } from '../domain/workload.ts'

export type OutlastingRequest = {
  /** For the upstream: fires when its time is over. */
  signal: Gone
  /** Whether it fired before the answer had ended, after the request had been sent. */
  isCutOff(): boolean
  /** The answer has ended, so nothing is waited for. May be called twice. */
  end(): void
}

export type OutlastCaller = (caller: Gone) => OutlastingRequest

type Limits = { pause: (ms: number) => Promise<void>; graceMs?: number; most?: number }

/**
 * Requests that go on for a while after their caller has hung up, because what they cost is said at their end. The time
 * is short, since whoever pays for the answer pays for what nobody reads as well; and so many at once go on, so that
 * callers who come and go cannot take all connections.
 */
export function unattendedRequests({ pause, graceMs = 10_000, most = 64 }: Limits) {
  const running = new Set<AbortController>()
  const outlastCaller: OutlastCaller = (caller) => {
    const controller = new AbortController()
    let hasEnded = false
    let finish = () => {}
    const ended = new Promise<void>((resolve) => (finish = resolve))
    const leave = async () => {
      if (hasEnded) return
      if (running.size >= most) return controller.abort()
      running.add(controller)
      await Promise.race([pause(graceMs), ended])
      running.delete(controller)
      if (!hasEnded) controller.abort()
    }
    // Whoever was gone before anything was sent has used nothing.
    if (caller.aborted) return { signal: caller, isCutOff: () => false, end: finish }
    caller.addEventListener('abort', () => void leave(), { once: true })
    return {
      signal: controller.signal,
      isCutOff: () => controller.signal.aborted && !hasEnded,
      end() {
        hasEnded = true
        finish()
      },
    }
  }
  return {
    outlastCaller,
    /** The program stops: what is still running is cut off. */
    stop() {
      for (const controller of running) controller.abort()
    },
  }
}

import type { Gone } from '../domain/workload.ts'

export type OutlastCaller = (caller: Gone) => { signal: Gone; isCutOff(): boolean; end(): void }

type Limits = { pause: (ms: number) => Promise<void>; graceMs?: number; maxConcurrent?: number }

/**
 * Providers report usage at the end, so requests continue after the caller hangs up. Time and number are limited: the
 * tenant pays for unread output, and connections must not run out.
 */
export function unattendedRequests({ pause, graceMs = 10_000, maxConcurrent = 64 }: Limits) {
  const running = new Set<AbortController>()
  const outlastCaller: OutlastCaller = (caller) => {
    const controller = new AbortController()
    let hasEnded = false
    let finish = () => {}
    const ended = new Promise<void>((resolve) => (finish = resolve))
    const leave = async () => {
      if (hasEnded) return
      if (running.size >= maxConcurrent) return controller.abort()
      running.add(controller)
      await Promise.race([pause(graceMs), ended])
      running.delete(controller)
      if (!hasEnded) controller.abort()
    }
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
    stop() {
      for (const controller of running) controller.abort()
    },
  }
}

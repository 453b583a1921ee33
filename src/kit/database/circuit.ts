import { StoreUnavailable } from './store-errors.ts'

const maxFailures = 5
const probeEveryMs = 200

/**
 * After failures in a row, one request at a time asks whether the server is back, and the others fail at once. Otherwise
 * all would wait for timeouts, and open connections together when the server returns. `chance` (0 to 1) separates the
 * processes.
 */
export function openCircuit(now: () => number = () => performance.now(), chance = Math.random) {
  let failures = 0
  let nextAt = 0
  let last: StoreUnavailable | undefined
  return {
    /** The last failure, if this request must not ask the server. */
    refusal(): StoreUnavailable | undefined {
      if (failures < maxFailures) return undefined
      if (now() < nextAt) return last
      nextAt = now() + probeEveryMs * (1 + chance())
      return undefined
    },
    /** `error` is undefined if the server answered. */
    note(error: Error | undefined): void {
      failures = error instanceof StoreUnavailable ? failures + 1 : 0
      last = error instanceof StoreUnavailable ? error : undefined
    },
  }
}

import { Failure } from './failure.ts'

/** How many are taken within how many seconds. */
export type Limit = { readonly count: number; readonly perSeconds: number }

/** Takes what a limit answered, and names the limit to who is over it. */
export function assertWithinLimit(retryAfterSeconds: number | undefined, limit: Limit, what: string): void {
  if (retryAfterSeconds === undefined) return
  throw new Failure('too_many_requests', overLimit(retryAfterSeconds, limit, what), { retryAfterSeconds })
}

export const overLimit = (retryAfterSeconds: number, { count, perSeconds }: Limit, what: string): string =>
  `Too many requests: at most ${count} ${what} are taken within ${perSeconds} seconds. Try again in ${retryAfterSeconds} s.`

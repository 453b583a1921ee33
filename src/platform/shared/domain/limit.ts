import { Failure } from './failure.ts'

type Limit = { readonly count: number; readonly perSeconds: number }

export function assertWithinLimit(retryAfterSeconds: number | undefined, limit: Limit, what: string): void {
  if (retryAfterSeconds === undefined) return
  throw new Failure('too_many_requests', overLimit(retryAfterSeconds, limit, what), { retryAfterSeconds })
}

export const overLimit = (retryAfterSeconds: number, { count, perSeconds }: Limit, what: string): string =>
  `Too many requests: at most ${count} ${what} are taken within ${perSeconds} seconds. Try again in ${retryAfterSeconds} s.`

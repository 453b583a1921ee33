import { Failure } from '../domain/failure.ts'
import type { RateLimits } from '../domain/ports/shared.ts'
import type { RateRule } from '../domain/rate-limit.ts'

/** Counts one request, and refuses it when there were too many. */
export const limitRate =
  ({ rates }: { rates: RateLimits }) =>
  async (rule: RateRule, who: string): Promise<void> => {
    const over = await rates.take(rule, who)
    if (!over) return
    const limit = `at most ${rule.most} are taken within ${rule.windowSeconds} seconds`
    throw new Failure('rate_limited', `Too many requests: ${limit}. Try again in ${over.retryAfterSeconds} s.`, over)
  }

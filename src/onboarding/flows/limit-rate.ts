import { Failure } from '../domain/failure.ts'
import type { RateRule } from '../domain/rate-limit.ts'
import type { Adapters } from './adapters.ts'

/** Counts one request, and refuses it when there were too many. */
export const limitRate =
  ({ rates }: Pick<Adapters, 'rates'>) =>
  async (rule: RateRule, who: string): Promise<void> => {
    const over = await rates.take(rule, who)
    if (over) throw new Failure('rate_limited', 'Too many requests. Wait a little, then go on.', over)
  }

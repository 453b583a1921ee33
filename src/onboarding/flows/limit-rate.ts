import { Failure } from '../domain/failure.ts'
import type { Ports } from '../domain/ports/ports.ts'
import type { RateRule } from '../domain/rate-limit.ts'

export async function limitRate({ rates }: Pick<Ports, 'rates'>, rule: RateRule, who: string): Promise<void> {
  const over = await rates.take(rule, who)
  if (!over) return
  const limit = `the limit is ${rule.max} in ${rule.windowSeconds} seconds`
  throw new Failure('rate_limited', `Too many requests: ${limit}. Try again in ${over.retryAfterSeconds} s.`, over)
}

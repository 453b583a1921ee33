// Who is signed in stands in Redis, and all there is to show in the database: without them there is no page to say so on.
import type { ErrorRequestHandler } from 'express'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import { within } from '../../../../kit/process/background-work.ts'
import type { Log } from '../../../../kit/process/log.ts'
import type { Readiness } from '../../../http/health.ts'
import { errorLocals } from '../../../http/locals/error.ts'
import { answerHeaders, toFailure } from '../../../http/problem.ts'
import { answeringLocals, type PartState } from '../locals/overview.ts'

/** Instead of any page of the console: which part does not answer, as the overview would tell. */
export const awayPages =
  ({ readiness, log }: { readiness: Readiness; log: Log }): ErrorRequestHandler =>
  async (error, req, res, next) => {
    const failure = toFailure(error, log, requestIdOf(res))
    if (res.headersSent || failure.code !== 'store_unavailable') return next(failure)
    const parts = answeringLocals(await statesOf(readiness))
    answerHeaders(res, failure)
    res.render('onboarding/error', { ...errorLocals(failure, requestIdOf(res), req.originalUrl), parts })
  }

/** A part that hangs counts as away, and must not hold the page up. */
export async function statesOf(readiness: Readiness): Promise<PartState> {
  const asked = Object.entries(readiness).map(async ([name, ready]) => [name, (await within(ready(), 500)) ?? false])
  return Object.fromEntries(await Promise.all(asked))
}

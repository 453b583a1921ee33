import type { MetricsQuery } from '../../../contract/billing/metrics.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { CostScope } from '../domain/cost-scope.ts'
import type { Group, Metrics, Question, Sum } from '../domain/ports.ts'
import { questionOf } from '../domain/question.ts'
import { bucketsOf } from '../domain/window.ts'

export type Costs = {
  question: Question
  buckets: Date[]
  total: Sum
  /** What was used in each bucket altogether. */
  whole: Group['buckets']
  /** The costliest first. */
  groups: Group[]
  hasMore: boolean
}

export type ShowCosts = (scope: CostScope, query: MetricsQuery) => Promise<Costs>

/** As many as a person reads; a file has all of them. */
const mostGroups = 100
/** As many columns as can be told apart on a large screen. Months have no cap of their own. */
const mostSteps = 400

export const showCosts =
  ({ metrics }: { metrics: Pick<Metrics, 'read'> }): ShowCosts =>
  async ({ account, filters }, query) => {
    const question = questionOf(account, { ...query, ...filters })
    const buckets = bucketsOf(question.window, question.resolution)
    if (buckets.length > mostSteps) throw new Failure('input_invalid', `to: a page shows at most ${mostSteps} steps`)
    const { total, groups } = await metrics.read(question, { limit: mostGroups + 1, costliestFirst: true })
    const undivided = await metrics.read({ ...question, groupBy: [] }, { limit: 1 })
    return {
      question,
      buckets,
      total,
      whole: undivided.groups[0]?.buckets ?? new Map(),
      groups: groups.slice(0, mostGroups),
      hasMore: groups.length > mostGroups,
    }
  }

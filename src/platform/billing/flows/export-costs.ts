import type { MetricsQuery } from '../../../contract/billing/metrics.ts'
import type { CostScope } from '../domain/cost-scope.ts'
import type { Group, Metrics, Question } from '../domain/ports.ts'
import { questionOf } from '../domain/question.ts'

export type ExportCosts = (
  scope: CostScope,
  query: MetricsQuery,
) => { question: Question; groups: AsyncIterable<Group> }

const groupsAtATime = 100

/** All groups, read while they are sent: an account with a hundred thousand of them needs no more memory than another. */
export const exportCosts =
  ({ metrics }: { metrics: Pick<Metrics, 'read'> }): ExportCosts =>
  ({ account, filters }, query) => {
    const question = questionOf(account, { ...query, ...filters })
    return { question, groups: allGroups(metrics, question) }
  }

async function* allGroups(metrics: Pick<Metrics, 'read'>, question: Question): AsyncGenerator<Group> {
  let after: string[] | undefined
  do {
    const { groups } = await metrics.read(question, { after, limit: groupsAtATime })
    yield* groups
    after = groups.length < groupsAtATime ? undefined : groups.at(-1)?.key
  } while (after && question.groupBy.length > 0)
}

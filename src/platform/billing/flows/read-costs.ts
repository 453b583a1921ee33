import type { MetricsQuery } from '../../../contract/billing/metrics.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { BillingPorts, Group, Question, Sum } from '../domain/ports.ts'
import { type CostScope, questionOf, type ScopeFilters } from '../domain/question.ts'
import { bucketsOf } from '../domain/window.ts'

export async function findAccountScope({ findAccount }: BillingPorts, caller: Caller, id: string): Promise<CostScope> {
  return { account: await findAccount(caller, id), filters: {} }
}

export async function findWorkspaceScope(
  { metrics, listAccounts }: BillingPorts,
  caller: Caller,
  workspace: string,
  resource: ScopeFilters = {},
): Promise<CostScope> {
  const owner = await metrics.accountOf(workspace)
  const account = (await listAccounts(caller)).find(({ id }) => id === owner)
  if (!account) throw new Failure('resource_unknown', 'You have no workspace with this name.')
  return { account, filters: { ...resource, workspace } }
}

export type Costs = {
  question: Question
  buckets: Date[]
  total: Sum
  whole: Group['buckets']
  groups: Group[]
  hasMore: boolean
}

const maxGroups = 100
/** Columns that are distinguishable on a large screen. Monthly windows are unlimited. */
const maxSteps = 400

export async function showCosts(
  { metrics }: BillingPorts,
  { account, filters }: CostScope,
  query: MetricsQuery,
): Promise<Costs> {
  const question = questionOf(account, { ...query, ...filters })
  const buckets = bucketsOf(question.window, question.resolution)
  if (buckets.length > maxSteps) throw new Failure('input_invalid', `to: a page shows at most ${maxSteps} steps`)
  const { total, groups } = await metrics.read(question, { limit: maxGroups + 1, costliestFirst: true })
  const undivided = await metrics.read({ ...question, groupBy: [] }, { limit: 1 })
  return {
    question,
    buckets,
    total,
    whole: undivided.groups[0]?.buckets ?? new Map(),
    groups: groups.slice(0, maxGroups),
    hasMore: groups.length > maxGroups,
  }
}

const groupsAtATime = 100

/** Streams all groups, so that memory use does not depend on their number. */
export function exportCosts(ports: BillingPorts, { account, filters }: CostScope, query: MetricsQuery) {
  const question = questionOf(account, { ...query, ...filters })
  return { question, groups: allGroups(ports, question) }
}

async function* allGroups({ metrics }: BillingPorts, question: Question): AsyncGenerator<Group> {
  let after: string[] | undefined
  do {
    const { groups } = await metrics.read(question, { after, limit: groupsAtATime })
    yield* groups
    after = groups.length < groupsAtATime ? undefined : groups.at(-1)?.key
  } while (after && question.groupBy.length > 0)
}

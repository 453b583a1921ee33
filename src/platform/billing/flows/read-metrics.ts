import { z } from 'zod'
import type {
  AccountMetricsDataEntry,
  AccountMetricsResponse,
  MetricsQuery,
} from '../../../contract/billing/metrics.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { openCursor } from '../../shared/flows/cursor-pages.ts'
import { entryFieldNames, showsUsage } from '../domain/grouping.ts'
import type { BillingPorts, Group, Question, Sum } from '../domain/ports.ts'
import { questionOf } from '../domain/question.ts'
import { bucketsOf, windowOf } from '../domain/window.ts'

const GroupKey = z.array(z.string())

export async function readMetrics(
  ports: BillingPorts,
  caller: Caller,
  accountId: string,
  query: MetricsQuery,
): Promise<AccountMetricsResponse> {
  const question = questionOf(await ports.findAccount(caller, accountId), query)
  const buckets = bucketsOf(question.window, question.resolution)
  const limit = pageSize(query.limit, buckets.length)
  const after = openCursor(ports, query.cursor, boundTo(question), GroupKey)
  const { total, groups } = await ports.metrics.read(question, { after, limit: limit + 1 })
  const page = groups.slice(0, limit)
  const hasMore = groups.length > limit
  const nextCursor = hasMore ? ports.cursors.seal(page.at(-1)?.key, boundTo(question), ports.now()) : ''
  const show = presenter(question, buckets)
  return {
    startTime: query.startTime,
    endTime: query.endTime,
    resolution: question.resolution,
    summary: show.total(total),
    data: page.map(show.entry),
    meta: { hasMore, nextCursor },
  }
}

export async function listResourceTypes(
  { metrics, findAccount }: BillingPorts,
  caller: Caller,
  accountId: string,
  { startTime, endTime }: Pick<MetricsQuery, 'startTime' | 'endTime'>,
): Promise<string[]> {
  const { id } = await findAccount(caller, accountId)
  return metrics.resourceTypes(id, windowOf(startTime, endTime))
}

const maxPageSize = 100
/** Monthly windows are unlimited, so long ones get fewer groups per page. */
const maxPoints = 50_000

function pageSize(asked: string | undefined, buckets: number): number {
  const wanted = Math.min(Number(asked ?? maxPageSize), maxPageSize)
  return Math.max(1, Math.min(wanted, Math.floor(maxPoints / buckets)))
}

/** Everything that determines the groups and their order. The page size may change between pages. */
const boundTo = ({ accountId, window, resolution, groupBy, filters }: Question): string =>
  JSON.stringify(['metrics', accountId, window.start, window.end, resolution, groupBy, filters])

function presenter({ groupBy }: Question, buckets: readonly Date[]) {
  const shows = showsUsage(groupBy)
  const sum = ({ cost, usage }: Sum) => (shows ? { cost: Number(cost), usage: Number(usage) } : { cost: Number(cost) })
  // A page has up to 16,800 points, so points are created without spreads.
  const point = (timestamp: string, { cost, usage }: Sum) =>
    shows ? { timestamp, cost: Number(cost), usage: Number(usage) } : { timestamp, cost: Number(cost) }
  const steps = buckets.map((at) => ({ ms: at.getTime(), timestamp: at.toISOString() }))
  return {
    total: ({ cost, usage }: Sum) => ({ totalCost: Number(cost), ...(shows && { totalUsage: Number(usage) }) }),
    entry: (group: Group): AccountMetricsDataEntry => ({
      ...fieldsOf(group),
      summary: sum(group.sum),
      timeseries: steps.map(({ ms, timestamp }) => point(timestamp, group.buckets.get(ms) ?? none)),
    }),
  }
}

const none: Sum = { cost: '0', usage: '0' }

const fieldsOf = ({ fields }: Group) =>
  Object.fromEntries(entryFieldNames.map((name) => [name, fields[name] ?? ''])) as Required<Group['fields']>

import type {
  AccountMetricsDataEntry,
  AccountMetricsResponse,
  MetricsQuery,
} from '../../../contract/billing/metrics.ts'
import type { OpaqueCursors } from '../../../kit/crypto/opaque-cursor.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { entryFieldNames, showsUsage } from '../domain/grouping.ts'
import type { FindAccount, Group, Metrics, Question, Sum } from '../domain/ports.ts'
import { questionOf } from '../domain/question.ts'
import { bucketsOf } from '../domain/window.ts'

export type ReadMetrics = (caller: Caller, accountId: string, query: MetricsQuery) => Promise<AccountMetricsResponse>

type Needs = { metrics: Pick<Metrics, 'read'>; findAccount: FindAccount; cursors: OpaqueCursors; now: () => Date }

export const readMetrics =
  ({ metrics, findAccount, cursors, now }: Needs): ReadMetrics =>
  async (caller, accountId, query) => {
    const question = questionOf(await findAccount(caller, accountId), query)
    const buckets = bucketsOf(question.window, question.resolution)
    const limit = pageSize(query.limit, buckets.length)
    const after = openCursor(cursors, query.cursor, question, now())
    const { total, groups } = await metrics.read(question, { after, limit: limit + 1 })
    const page = groups.slice(0, limit)
    const hasMore = groups.length > limit
    const nextCursor = hasMore ? cursors.seal(page.at(-1)?.key, boundTo(question), now()) : ''
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

const largestPage = 100
/** Months have no cap: a window of millennia gets fewer groups on a page, so that an answer stays an answer. */
const mostPoints = 200_000

function pageSize(asked: string | undefined, buckets: number): number {
  const wanted = Math.min(Number(asked ?? largestPage), largestPage)
  return Math.max(1, Math.min(wanted, Math.floor(mostPoints / buckets)))
}

/** Everything that decides which groups there are, and in which order. The size of a page may change on the way. */
const boundTo = ({ accountId, window, resolution, groupBy, filters }: Question): string =>
  JSON.stringify(['metrics', accountId, window.start, window.end, resolution, groupBy, filters])

function openCursor(cursors: OpaqueCursors, cursor: string | undefined, question: Question, now: Date) {
  if (cursor === undefined) return undefined
  const key = cursors.open(cursor, boundTo(question), now)
  if (!Array.isArray(key)) throw new Failure('cursor_invalid', 'The cursor is not valid for this query.')
  return key.map(String)
}

function presenter({ groupBy }: Question, buckets: readonly Date[]) {
  const shows = showsUsage(groupBy)
  const sum = ({ cost, usage }: Sum) => (shows ? { cost: Number(cost), usage: Number(usage) } : { cost: Number(cost) })
  // A page has up to 16,800 points: each is made at once, not put together from parts.
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

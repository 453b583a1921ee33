import type { Cause } from '../../../domain/cause.ts'
import { linkStateTable, statusOf } from '../../../domain/link.ts'
import type { PartReport } from '../../../domain/platform-report.ts'
import type { LinkCount, ProblemGroup, RetryGroup } from '../../../domain/ports/support-ledger.ts'
import type { Overview } from '../../flows/read-support.ts'
import { causeWords } from './cause-words.ts'
import { dayChart, dayOf } from './day-chart.ts'
import { ago, nextAttempt } from './words.ts'

export type ServiceStates = ReadonlyArray<PartReport & { name: string }>

export function overviewLocals(overview: Overview, services: ServiceStates) {
  const { problems, retries, linksByDay, now } = overview
  const chart = dayColumns(overview)
  return {
    title: 'Overview',
    groups: ownMovesFirst(problems.map((group) => groupLocals(group, now))),
    retries: retries.map((group) => retryLocals(group, now)),
    figures: [
      { label: 'Links needing attention', value: countOf(problems, 'links'), href: `/support/${groupFilters.links}` },
      { label: 'Links retrying', value: sum(retries, () => true), href: '/support/links?retrying=yes' },
      {
        label: 'Connections to reconnect',
        value: countOf(problems, 'connections'),
        href: `/support/${groupFilters.connections}`,
      },
      { label: `Links in ${overview.days} days`, value: sum(linksByDay, () => true), trend: trendOf(chart.columns) },
      { label: 'Success rate', value: successOf(linksByDay), trend: chart.columns.map(({ rate }) => rate) },
    ],
    chart,
    causes: causeBars(linksByDay, chart.columns[0]?.day),
    services: systemStatusLocals(overview, services),
    warnings: warningsOf(services).map((each) => each.replaceAll('`', '')),
  }
}

/** Only links that could end either way: one in progress may still fail, and a user may change their mind. */
function successRate(counts: readonly LinkCount[]): number | undefined {
  const linked = sum(counts, ({ state }) => state === 'linked')
  const failed = sum(counts, (each) => kindOf(each) === 'failed')
  return linked + failed === 0 ? undefined : (linked / (linked + failed)) * 100
}

const successOf = (counts: readonly LinkCount[]): string => {
  const rate = successRate(counts)
  return rate === undefined ? '–' : `${rate.toFixed(1)}%`
}

/** In percent of the highest day. */
function trendOf(columns: ReadonlyArray<{ total: number }>): number[] {
  const highest = Math.max(1, ...columns.map(({ total }) => total))
  return columns.map(({ total }) => Math.round((total / highest) * 100))
}

function groupLocals({ what, cause, count, oldest }: ProblemGroup, now: Date) {
  const filter = groupFilters[what]
  const noun = what === 'links' ? 'link' : 'connection'
  return {
    count,
    what: count === 1 ? noun : `${noun}s`,
    cause: groupWords[what] ?? (cause ? causeWords(cause) : undefined),
    since: what === 'ending' ? `in ${ago(now, oldest)}` : `${ago(oldest, now)} ago`,
    href: `/support/${filter}${cause ? `&cause=${cause}` : ''}`,
  }
}

/** Problems that wait for users are oldest, and would hide those that support can fix. */
const ownMovesFirst = <T extends { cause: { isForSupport: boolean } | undefined }>(groups: readonly T[]): T[] => {
  const isForOthers = ({ cause }: T) => cause?.isForSupport === false
  return [...groups.filter((group) => !isForOthers(group)), ...groups.filter(isForOthers)]
}

const groupFilters: Record<ProblemGroup['what'], string> = {
  links: 'links?state=needs_attention',
  connections: 'connections?status=needs_relink',
  unjudged: 'connections?health=unknown',
  ending: 'connections?health=ending',
}

type GroupWords = { title: string; advice: string; actionFrom: string; isForSupport: boolean }

const groupWords: Partial<Record<ProblemGroup['what'], GroupWords>> = {
  unjudged: {
    title: 'Health unknown',
    advice: 'Their checks were inconclusive. The page of each connection says why.',
    actionFrom: 'Support',
    isForSupport: true,
  },
  ending: {
    title: 'Access ends soon',
    advice: 'The app ends access at a max age, even if it is used. Send the users reconnect links before then.',
    actionFrom: 'End user',
    isForSupport: false,
  },
}

const retryLocals = ({ state, cause, count, oldest, nextAttemptAt }: RetryGroup, now: Date) => ({
  count,
  what: count === 1 ? 'link' : 'links',
  step: linkStateTable[state].label,
  cause: cause ? causeWords(cause) : undefined,
  next: nextAttempt(nextAttemptAt, now),
  since: `${ago(oldest, now)} ago`,
  href: `/support/links?retrying=yes&state=${state}${cause ? `&cause=${cause}` : ''}`,
})

const kinds = ['linked', 'failed', 'unfinished', 'pending'] as const
type Kind = (typeof kinds)[number]

function kindOf({ state }: LinkCount): Kind {
  const status = statusOf(state)
  if (status === 'needs_attention') return 'failed'
  return status === 'cancelled' || status === 'denied' || status === 'abandoned' ? 'unfinished' : status
}

function dayColumns({ linksByDay, days, now }: Overview) {
  const ofDay = (day: string) => linksByDay.filter((each) => dayOf(each.day) === day)
  const piled = (counts: readonly LinkCount[]) =>
    Object.fromEntries(kinds.map((kind) => [kind, sum(counts, (each) => kindOf(each) === kind)])) as Record<
      Kind,
      number
    >
  const dates = new Set(linksByDay.map(({ day }) => dayOf(day)))
  const counts = new Map([...dates].map((day) => [day, piled(ofDay(day))]))
  const chart = dayChart(kinds, counts, days, now)
  const rated = chart.columns.map((each) => ({
    ...each,
    success: successOf(ofDay(each.day)),
    rate: Math.round(successRate(ofDay(each.day)) ?? 0),
  }))
  return { ...chart, columns: rated }
}

function causeBars(counts: readonly LinkCount[], firstDay: string | undefined) {
  const totals = new Map<Cause, { count: number; kind: Kind }>()
  for (const each of counts) {
    const { state, cause, count } = each
    if (cause && statusOf(state) !== 'pending' && state !== 'linked')
      totals.set(cause, { count: (totals.get(cause)?.count ?? 0) + count, kind: kindOf(each) })
  }
  const sorted = [...totals].sort(([, a], [, b]) => b.count - a.count).slice(0, 8)
  const highest = sorted[0]?.[1].count ?? 1
  return sorted.map(([cause, { count, kind }]) => ({
    kind,
    href: `/support/links?cause=${cause}${firstDay ? `&from=${firstDay}` : ''}`,
    title: causeWords(cause).title,
    count,
    width: ((count / highest) * 100).toFixed(1),
  }))
}

/** Work that is overdue by this much has most likely stopped. */
const lateMs = 60_000

function systemStatusLocals({ backlogs, now }: Overview, services: ServiceStates) {
  const late = (at: Date | undefined) => at !== undefined && now.getTime() - at.getTime() > lateMs
  const {
    oldestDueLink,
    oldestDueTask,
    oldestDueCheck,
    oldestDueDelivery,
    waitingDeliveries,
    deadDeliveries,
    disabledWebhooks,
  } = backlogs
  return [
    ...serviceLocals(services),
    {
      name: 'Webhooks',
      good: !late(oldestDueDelivery) && deadDeliveries === 0 && disabledWebhooks === 0,
      text: webhookText(waitingDeliveries, deadDeliveries, disabledWebhooks, oldestDueDelivery, now),
      href: `/support/webhooks${deadDeliveries > 0 ? '?status=dead' : waitingDeliveries > 0 ? '?status=pending' : ''}`,
    },
    { ...onTime('Background jobs', earlier(oldestDueLink, oldestDueTask), now), href: '/support/links?retrying=yes' },
    { ...onTime('Health checks', oldestDueCheck, now), href: '/support/connections' },
  ]
}

const serviceNames: Record<string, string> = {
  redis: 'Redis',
  database: 'Database',
  platform: 'Platform',
  integrations: 'Integrations',
  auditExport: 'Audit export',
}

export const serviceLocals = (services: ServiceStates) =>
  services
    .filter(({ state }) => state !== 'off')
    .map(({ name, ready, state, warnings }) => ({
      name: serviceNames[name] ?? name,
      good: ready && warnings.length === 0,
      text: ready ? warningText(warnings.length) : outageText(state),
    }))

const warningText = (count: number) => (count === 0 ? 'OK' : count === 1 ? '1 warning' : `${count} warnings`)

function outageText(state: string): string {
  if (isMisconfigured(state)) return 'Misconfigured'
  if (state === 'read-only') return 'Read-only'
  return state === 'full' ? 'Full' : 'Not responding'
}

const isMisconfigured = (state: string) => state.startsWith('misconfigured')

const warningsOf = (services: ServiceStates): string[] =>
  services.flatMap(({ name, state, warnings }) =>
    isMisconfigured(state) ? [`${serviceNames[name] ?? name} ${state}.`] : warnings,
  )

function onTime(name: string, oldestDue: Date | undefined, now: Date) {
  const isLate = oldestDue !== undefined && now.getTime() - oldestDue.getTime() > lateMs
  return { name, good: !isLate, text: isLate ? `Behind by ${ago(oldestDue, now)}` : 'On schedule' }
}

const earlier = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other ? new Date(Math.min(one.getTime(), other.getTime())) : (one ?? other)

function webhookText(waiting: number, dead: number, disabled: number, oldest: Date | undefined, now: Date): string {
  const parts = [
    `${waiting} waiting${oldest && now.getTime() - oldest.getTime() > lateMs ? `, behind by ${ago(oldest, now)}` : ''}`,
    ...(dead > 0 ? [`${dead} failed`] : []),
    ...(disabled > 0 ? [disabled === 1 ? '1 endpoint disabled' : `${disabled} endpoints disabled`] : []),
  ]
  return parts.join(', ')
}

const countOf = (problems: readonly ProblemGroup[], wanted: ProblemGroup['what']) =>
  sum(problems, ({ what }) => what === wanted)

const sum = <T extends { count: number }>(counts: readonly T[], which: (each: T) => boolean): number =>
  counts.filter(which).reduce((total, { count }) => total + count, 0)

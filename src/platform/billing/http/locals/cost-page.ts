import type { Caller } from '../../../shared/domain/caller.ts'
import { showsUsage } from '../../domain/grouping.ts'
import type { Group, Question } from '../../domain/ports.ts'
import type { CostScope } from '../../domain/question.ts'
import type { Costs } from '../../flows/read-costs.ts'
import { addressOf, type CostControls, lastDays } from '../pages/cost-controls.ts'
import { amount, money, percent } from './amounts.ts'
import { costChart, type Series } from './cost-chart.ts'
import {
  bucketName,
  groupingOptions,
  groupLabel,
  longDay,
  resolutionOptions,
  typeOptions,
  typeWord,
} from './cost-words.ts'

export type CostPage = { caller: Caller; scope: CostScope; path: string; controls: CostControls; now: Date }

export function pageFrame({ caller, scope, path, controls, now }: CostPage, complaint = '') {
  const { account, filters } = scope
  return {
    user: caller.label,
    heading: headingOf(scope),
    crumbs: crumbsOf(scope),
    complaint,
    path,
    controls,
    fixed: { workspace: filters.workspace !== undefined, resource: filters.resourceName !== undefined },
    isAdmin: account.role === 'admin',
    presets: presets(path, controls, now),
    groupings: chosen(groupingsFor(scope), controls.groupBy),
    resolutions: chosen(resolutionOptions, controls.resolution),
    types: chosen(typeOptions, controls.resourceType),
  }
}

function headingOf({ account, filters }: CostScope) {
  if (filters.resourceName !== undefined)
    return { kind: typeWord(filters.resourceType ?? ''), name: filters.resourceName }
  if (filters.workspace !== undefined) return { kind: 'Workspace', name: filters.workspace }
  return { kind: 'Account', name: account.name }
}

function crumbsOf({ account, filters: { workspace, resourceName } }: CostScope) {
  const crumbs = [{ href: `/billing/accounts/${encodeURIComponent(account.id)}`, label: account.name }]
  if (resourceName !== undefined && workspace !== undefined)
    crumbs.push({ href: workspacePath(workspace), label: workspace })
  return workspace === undefined ? [] : crumbs
}

const workspacePath = (workspace: string) => `/billing/workspaces/${encodeURIComponent(workspace)}`

function groupingsFor({ account, filters }: CostScope) {
  const tellsWorkspacesApart = account.role === 'admin' && filters.workspace === undefined
  return groupingOptions.filter(({ value }) => tellsWorkspacesApart || !value.includes('workspace'))
}

type Option = { value: string; label: string }

function chosen(options: readonly Option[], current: string) {
  const all = options.some(({ value }) => value === current)
    ? options
    : [...options, { value: current, label: current }]
  return all.map((option) => ({ ...option, selected: option.value === current }))
}

function presets(path: string, controls: CostControls, now: Date) {
  const spans = [
    { label: '7 days', days: 7 },
    { label: '30 days', days: 30 },
    { label: '90 days', days: 90 },
    { label: '12 months', days: 365 },
  ]
  return spans.map(({ label, days }) => {
    const span = lastDays(days, now)
    const current = span.from === controls.from && span.to === controls.to
    return { label, current, href: addressOf(path, { ...controls, ...span, resolution: '' }) }
  })
}

const tones = 7

export function costPage(page: CostPage, costs: Costs) {
  const { question, buckets, groups, total } = costs
  const series = seriesOf(costs)
  const cost = Number(total.cost)
  return {
    ...pageFrame(page),
    csv: addressOf(`${page.path}/costs.csv`, page.controls),
    period: `${longDay(question.window.start)} to ${longDay(new Date(question.window.end.getTime() - 1))}, UTC`,
    isEmpty: cost === 0 && (groups.length === 0 || question.groupBy.length === 0),
    figures: figuresOf(costs, cost),
    chart: costChart(series, buckets, question.resolution),
    legend: question.groupBy.length > 0 ? series.map(({ label, tone }) => ({ label, tone })) : [],
    rows: groups.map((group, at) => rowOf(page, question, group, at, cost)),
    hasMore: costs.hasMore,
    total: money(cost),
    steps: {
      names: series.map(({ label }) => label),
      rows: buckets.map((bucket, at) => ({
        name: bucketName(bucket, question.resolution),
        costs: series.map(({ costs }) => money(costs[at] ?? 0)),
        total: money(series.reduce((sum, { costs }) => sum + (costs[at] ?? 0), 0)),
      })),
    },
    showsUsage: showsUsage(question.groupBy),
  }
}

const toneOf = (at: number) => (at < tones ? String(at + 1) : 'rest')

function seriesOf({ question, buckets, groups, whole }: Costs): Series[] {
  const shown = groups.slice(0, tones).map((group, at) => ({
    label: groupLabel(group, question),
    tone: toneOf(at),
    costs: buckets.map((bucket) => costIn(group.buckets, bucket)),
  }))
  if (groups.length <= tones) return shown
  // Events may arrive between the two queries, so the rest is clamped at 0.
  const rest = buckets.map((bucket, at) =>
    Math.max(0, costIn(whole, bucket) - shown.reduce((sum, { costs }) => sum + (costs[at] ?? 0), 0)),
  )
  return [...shown, { label: 'All others', tone: 'rest', costs: rest }]
}

const costIn = (buckets: Group['buckets'], at: Date) => Number(buckets.get(at.getTime())?.cost ?? 0)

function figuresOf({ question, groups }: Costs, total: number) {
  const { start, end } = question.window
  const days = (end.getTime() - start.getTime()) / 86_400_000
  const [first] = groups
  const share = first && percent(Number(first.sum.cost), total)
  return [
    { label: 'Total', value: money(total) },
    { label: 'Daily average', value: money(total / days) },
    ...(first && groups.length > 1 ? [{ label: `Largest: ${groupLabel(first, question)}`, value: share }] : []),
  ]
}

function rowOf(page: CostPage, question: Question, group: Group, at: number, total: number) {
  const cost = Number(group.sum.cost)
  return {
    label: groupLabel(group, question),
    href: closerLook(page, question, group),
    tone: toneOf(at),
    usage: amount(Number(group.sum.usage), group.fields.billingDimension ?? ''),
    cost: money(cost),
    share: percent(cost, total),
  }
}

function closerLook({ path, controls }: CostPage, { groupBy }: Question, { fields }: Group): string {
  const { from, to, resolution } = controls
  if (groupBy.join() === 'workspace' && fields.workspace) {
    return addressOf(workspacePath(fields.workspace), { from, to, resolution })
  }
  if (groupBy.join() === 'resource_name' && fields.resourceName) {
    return addressOf(path, { ...controls, resourceName: fields.resourceName, groupBy: 'billing_dimension' })
  }
  return ''
}

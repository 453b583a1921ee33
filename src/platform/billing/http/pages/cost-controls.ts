import type { Request } from 'express'
import { z } from 'zod'
import { MetricsQuery } from '../../../../contract/billing/metrics.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { assertSupported } from '../billing-operations.ts'

const Day = z.iso.date('must be a date, for example 2026-01-31')

const Days = z.object({ from: Day, to: Day })

const names = [
  'from',
  'to',
  'resolution',
  'groupBy',
  'workspace',
  'resourceType',
  'resourceName',
  'billingDimension',
] as const

export type CostControls = Record<(typeof names)[number], string>

const dayMs = 86_400_000
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

export function controlsOf({ query }: Request, now: Date): CostControls {
  const given = Object.fromEntries(names.map((name) => [name, textOf(query[name])])) as CostControls
  return {
    ...given,
    from: given.from || dayOf(now.getTime() - 29 * dayMs),
    to: given.to || dayOf(now.getTime()),
    groupBy: given.groupBy || 'billing_dimension',
  }
}

const textOf = (value: unknown) => String(value ?? '')

/** The API omits `groupBy` for this, but a form control always has a value. */
const undivided = 'none'

/** The form takes days instead of times and includes the last day. */
export function queryOf(controls: CostControls, req: Request): MetricsQuery {
  assertSupported(req)
  const { from, to } = Days.parse(controls)
  if (to < from) throw new Failure('input_invalid', 'to: must not be before the first day')
  const { from: _from, to: _to, groupBy, ...others } = controls
  return MetricsQuery.parse({
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== '')),
    ...(groupBy !== undivided && { groupBy }),
    startTime: `${from}T00:00:00Z`,
    endTime: new Date(Date.parse(to) + dayMs).toISOString(),
  })
}

export function addressOf(path: string, controls: Partial<CostControls>): string {
  const given = names.flatMap((name) => (controls[name] ? [[name, controls[name]] as [string, string]] : []))
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

export const lastDays = (count: number, now: Date) => ({
  from: dayOf(now.getTime() - (count - 1) * dayMs),
  to: dayOf(now.getTime()),
})

const words: Record<string, string> = {
  from: 'From',
  startTime: 'From',
  to: 'To',
  endTime: 'To',
  resolution: 'Granularity',
  groupBy: 'Group by',
  workspace: 'Workspace',
  resourceType: 'Type',
  resourceName: 'Resource name',
  billingDimension: 'Dimension',
}

export const inWords = (complaint: string): string =>
  complaint.replace(/(^|; )(\w+): /g, (all, before: string, name: string) =>
    words[name] ? `${before}${words[name]}: ` : all,
  )

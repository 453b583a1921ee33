import { csv } from '../../../kit/http/csv.ts'
import { entryFieldNames, showsUsage } from '../domain/grouping.ts'
import type { Group, Question } from '../domain/ports.ts'
import { unitOf } from './locals/amounts.ts'

/** A line for each group and bucket in which something was used; numbers as exact as they are kept. */
export async function* costCsv({ groupBy }: Question, groups: AsyncIterable<Group>): AsyncGenerator<string> {
  const withUsage = showsUsage(groupBy)
  yield csv([['start', ...entryFieldNames, 'costUsd', ...(withUsage ? ['usage', 'unit'] : [])]])
  for await (const { fields, buckets } of groups) {
    const names = entryFieldNames.map((name) => fields[name] ?? '')
    const unit = unitOf(fields.billingDimension ?? '') ?? ''
    for (const [at, { cost, usage }] of [...buckets].sort(([a], [b]) => a - b)) {
      yield csv([[new Date(at).toISOString(), ...names, plain(cost), ...(withUsage ? [plain(usage), unit] : [])]])
    }
  }
}

/** The database keeps the zeros that multiplying left behind. */
const plain = (decimal: string) => (decimal.includes('.') ? decimal.replace(/\.?(?<!0)0+$/, '') : decimal)

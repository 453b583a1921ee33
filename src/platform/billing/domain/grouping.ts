import { type Grouping, groupings } from '../../../contract/billing/metrics.ts'
import { Failure } from '../../shared/domain/failure.ts'

const maxGroupings = 3

export function groupingsOf(text: string | undefined): Grouping[] {
  if (text === undefined) return []
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isGrouping(name))
  if (unknown !== undefined) throwInvalidGrouping(`must be one of ${groupings.join(', ')}`)
  if (new Set(names).size < names.length) throwInvalidGrouping('must not name a dimension twice')
  if (names.length > maxGroupings) throwInvalidGrouping(`takes at most ${maxGroupings} dimensions`)
  return groupings.filter((each) => names.includes(each))
}

const isGrouping = (name: string): name is Grouping => (groupings as readonly string[]).includes(name)

function throwInvalidGrouping(reason: string): never {
  throw new Failure('input_invalid', `groupBy: ${reason}`)
}

/** Usage is shown only per dimension, because other groups mix units. */
export const showsUsage = (groupBy: readonly Grouping[]): boolean => groupBy.includes('billing_dimension')

/** Members of an entry and the groupings that also determine them. */
export const entryFields = {
  workspace: { own: 'workspace', enrichedBy: ['resource_uuid', 'resource_name'] },
  resourceType: { own: 'resource_type', enrichedBy: ['resource_uuid', 'resource_name', 'billing_dimension'] },
  resourceName: { own: 'resource_name', enrichedBy: ['resource_uuid'] },
  resourceUuid: { own: 'resource_uuid', enrichedBy: [] },
  billingDimension: { own: 'billing_dimension', enrichedBy: [] },
} as const satisfies Record<string, { own: Grouping; enrichedBy: readonly Grouping[] }>

export type EntryField = keyof typeof entryFields

export const entryFieldNames = Object.keys(entryFields) as EntryField[]

export const enrichedFields = (groupBy: readonly Grouping[]): EntryField[] =>
  entryFieldNames.filter((field) => {
    const { own, enrichedBy } = entryFields[field]
    return !groupBy.includes(own) && enrichedBy.some((each: Grouping) => groupBy.includes(each))
  })

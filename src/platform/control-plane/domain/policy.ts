import type { Policy } from '../../../contract/control-plane/policy.ts'
import type { Resource } from './resource.ts'

type PolicySpec = Policy['spec']
type NamedPolicy = Pick<Resource, 'name' | 'spec'>

const location = 'local'

const granularities = ['minute', 'hour', 'day', 'month'] as const
type Granularity = (typeof granularities)[number]

/** Without resource types, a policy applies to all. Published clients use the plural as well. */
const appliesTo = ({ resourceTypes }: PolicySpec, kind: string): boolean =>
  resourceTypes.length === 0 || resourceTypes.some((type) => type === kind || type === `${kind}s`)

/** Why a workload with this policy can't run here. */
export function policyProblem(kind: string, { name, spec }: NamedPolicy): string | undefined {
  const policy = spec as PolicySpec
  if (!appliesTo(policy, kind)) return undefined
  const problem = problems[policy.type](policy)
  return problem && `The policy ${name} ${problem}.`
}

const problems: Record<PolicySpec['type'], (policy: PolicySpec) => string | undefined> = {
  location: ({ locations = [] }) =>
    locations.length > 0 && !locations.some(({ name }) => name === location)
      ? `allows ${namesOf(locations)}, and this platform has only the location ${location}`
      : undefined,
  flavor: ({ flavors = [] }) =>
    flavors.length > 0 && flavors.every(({ type }) => type === 'gpu')
      ? `allows ${namesOf(flavors)}, and this platform has no GPU`
      : undefined,
  maxToken: ({ maxTokens }) =>
    granularityOf(maxTokens) === undefined
      ? `has the unknown granularity ${maxTokens?.granularity}: use ${granularities.join(', ')}`
      : undefined,
}

const namesOf = (list: ReadonlyArray<{ name: string }>): string => list.map(({ name }) => name).join(', ')

const granularityOf = (maxTokens: PolicySpec['maxTokens']): Granularity | undefined =>
  granularities.find((each) => each === (maxTokens?.granularity ?? 'minute'))

export function tokenLimitsOf({ name, spec }: NamedPolicy) {
  const policy = spec as PolicySpec
  if (policy.type !== 'maxToken' || !policy.maxTokens || !appliesTo(policy, 'model')) return []
  // A mistake in a changed policy must not lift the limit.
  const granularity = granularityOf(policy.maxTokens) ?? 'month'
  const { step = 1, input, output, total } = policy.maxTokens
  return [{ policy: name, granularity, step, input, output, total }]
}

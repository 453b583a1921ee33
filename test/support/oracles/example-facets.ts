// Checks that examples have the same members and kinds as real responses. Schemas are shared, so a member may have been
// seen in another operation.

/** Members of the example that no response had. */
export function unlikeAnswers(example: unknown, answers: readonly unknown[]): string[] {
  const seen = new Set(answers.flatMap((answer) => facetsOf(answer)))
  return facetsOf(example).filter((facet) => !seen.has(facet))
}

/** For example `cause.code string`. */
function facetsOf(value: unknown, name = '', around = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => facetsOf(item, name, around))
  if (typeof value !== 'object' || value === null) return [`${around}.${name} ${kindOf(value)}`]
  const within = containers.includes(name) ? '' : name
  return Object.entries(value).flatMap(([member, inner]) => facetsOf(inner, member, within))
}

/** Members that embed whole responses. */
const containers = ['data', 'members', 'connection', 'checks']

function kindOf(value: unknown): string {
  if (typeof value !== 'string') return typeof value
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'time'
  if (/^https?:\/\//.test(value)) return 'URL'
  return prefixed.exec(value)?.[1] ?? 'string'
}

/** Only prefixed IDs and keys are compared: secrets without a prefix are random. */
const prefixed = /^((?:chk|cmp|con|ers|evt|imp|key|lnk|mng|ses|tsk|whk|whsec|cwk)_)[\w+/=-]{12,}$/

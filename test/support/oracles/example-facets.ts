// Whether an example of a document looks like what the program answers: the same members, of the same kinds. Schemas are
// shared, so a member that one operation happened not to answer may have been seen with another.

/** What the example has that no answer had; empty if it could be one of them. */
export function unlikeAnswers(example: unknown, answers: readonly unknown[]): string[] {
  const seen = new Set(answers.flatMap((answer) => facetsOf(answer)))
  return facetsOf(example).filter((facet) => !seen.has(facet))
}

/** Every member by its name, what it stands in, and its kind: `cause.code string`. */
function facetsOf(value: unknown, name = '', around = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => facetsOf(item, name, around))
  if (typeof value !== 'object' || value === null) return [`${around}.${name} ${kindOf(value)}`]
  const within = containers.includes(name) ? '' : name
  return Object.entries(value).flatMap(([member, inner]) => facetsOf(inner, member, within))
}

/** Where whole answers stand inside another one. */
const containers = ['data', 'members', 'connection', 'checks']

function kindOf(value: unknown): string {
  if (typeof value !== 'string') return typeof value
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'time'
  if (/^https?:\/\//.test(value)) return 'URL'
  return prefixed.exec(value)?.[1] ?? 'string'
}

/** Ids and keys, each by its own beginning: a secret without one may begin with any three letters by chance. */
const prefixed = /^((?:chk|cmp|con|ers|evt|imp|key|lnk|mng|ses|tsk|whk|whsec|cwk)_)[\w+/=-]{12,}$/

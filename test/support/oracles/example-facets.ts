// Whether an example of a document looks like what the program answers: the same members, of the same kinds.

/** What the example has that no answer had; empty if it could be one of them. */
export function unlikeAnswers(example: unknown, answers: readonly unknown[]): string[] {
  const seen = new Set(answers.flatMap((answer) => facetsOf(answer)))
  return facetsOf(example).filter((facet) => !seen.has(facet))
}

/** Every member by its path and kind: `.data[].id lnk_…`. */
function facetsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => facetsOf(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [`${path} ${kindOf(value)}`]
  return Object.entries(value).flatMap(([name, member]) => facetsOf(member, `${path}.${name}`))
}

function kindOf(value: unknown): string {
  if (typeof value !== 'string') return typeof value
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'time'
  if (/^https?:\/\//.test(value)) return 'URL'
  return /^([a-z]{3,5}_)[\w+/=-]{20,}$/.exec(value)?.[1] ?? 'string'
}

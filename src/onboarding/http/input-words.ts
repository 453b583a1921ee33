import type { z } from 'zod'

/** Default messages for schemas without their own. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && isOfValue(issue)) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return typeWords[issue.expected]
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${enumeration(issue.values.map(String))}`
    case 'too_small':
      return sizeWords(issue.origin, issue.minimum, 'at least')
    case 'too_big':
      return sizeWords(issue.origin, issue.maximum, 'at most')
    case 'invalid_format':
      return formatWords[issue.format] ?? 'is not valid'
    default:
      return undefined
  }
}

/** A repeated query parameter is parsed as a list. */
export const parameterWords: z.core.$ZodErrorMap = (issue) =>
  Array.isArray(issue.input) && isOfValue(issue) ? 'must be given once' : plainWords(issue)

export const enumeration = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

const isOfValue = ({ code }: z.core.$ZodRawIssue) => code === 'invalid_type' || code === 'invalid_value'

const typeWords: Readonly<Record<string, string>> = {
  string: 'must be a text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
}

const formatWords: Readonly<Record<string, string>> = {
  email: 'must be an email address',
  url: 'must be a URL',
  datetime: 'must be a time such as 2026-11-15T08:00:00Z',
  date: 'must be a date such as 2026-11-15',
}

function sizeWords(origin: string, limit: number | bigint, bound: 'at least' | 'at most'): string {
  if (origin === 'string' && limit === 1 && bound === 'at least') return 'must not be empty'
  const unit = { string: 'character', array: 'item' }[origin]
  return unit ? `must have ${bound} ${limit} ${unit}${limit === 1 ? '' : 's'}` : `must be ${bound} ${limit}`
}

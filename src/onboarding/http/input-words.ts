import { z } from 'zod'
import { didYouMean } from '../../kit/process/closest-name.ts'

/** Default messages for schemas without their own. */
export const plainWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && isOfValue(issue)) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return typeWords[issue.expected]
    case 'invalid_value':
      return choiceWords(issue.values.map(String), issue.input)
    case 'too_small':
      return sizeWords(issue.origin, issue.minimum, 'at least')
    case 'too_big':
      return sizeWords(issue.origin, issue.maximum, 'at most')
    case 'invalid_format':
      return formatWords[issue.format] ?? 'is not valid'
    case 'unrecognized_keys':
      return unknownFields + (issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape).join(', ') : '')
    default:
      return undefined
  }
}

const unknownFields = 'has an unknown field. Known fields: '

/** Zod reports unknown fields without the known ones, so `plainWords` puts them into the message. */
export const knownFields = (message: string): string[] =>
  message.startsWith(unknownFields) ? message.slice(unknownFields.length).split(', ') : []

/** A repeated query parameter is parsed as a list. */
export const parameterWords: z.core.$ZodErrorMap = (issue) =>
  Array.isArray(issue.input) && isOfValue(issue) ? 'must be given once' : plainWords(issue)

export const enumeration = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

const isOfValue = ({ code }: z.core.$ZodRawIssue) => code === 'invalid_type' || code === 'invalid_value'

function choiceWords(values: readonly string[], sent: unknown): string {
  const words = `must be ${values.length === 1 ? '' : 'one of '}${enumeration(values)}`
  const hint = typeof sent === 'string' ? didYouMean(sent, values) : ''
  return hint ? `${words}.${hint}` : words
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be an integer',
  boolean: 'must be a boolean',
  array: 'must be an array',
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

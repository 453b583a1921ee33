import type { ZodError, z } from 'zod'
import { didYouMean } from '../../kit/process/closest-name.ts'
import { jsonPointer } from '../../kit/process/json-pointer.ts'
import { Failure, requestInvalid } from '../domain/failure.ts'
import { firstError, headerError, type InputError, parameterError } from '../domain/input-error.ts'
import { enumeration, knownFields, parameterWords, plainWords } from './input-words.ts'

export const inputErrors = ({ issues }: Pick<ZodError, 'issues'>): InputError[] =>
  issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ pointer: jsonPointer(...issue.path), detail: wordsFor(issue) }]
    const known = knownFields(issue.message)
    return issue.keys.map((key, at) => ({
      pointer: jsonPointer(...issue.path, key),
      detail: withHint('is an unknown field', key, at < maxHints ? known : []),
    }))
  })

/** Each hint costs a comparison with every known name, and a body may have thousands of unknown ones. */
const maxHints = 20

const withHint = (words: string, typed: string, known: readonly string[]): string => {
  const hint = didYouMean(typed, known)
  return hint ? `${words}.${hint}` : words
}

/** Zod says "expected string, received undefined" for a missing value. */
const wordsFor = ({ code, message }: ZodError['issues'][number]): string =>
  code === 'invalid_type' && message.endsWith('received undefined') ? 'is required' : message

export function readBody<Schema extends z.ZodType>(schema: Schema, sent: unknown): z.output<Schema> {
  const read = schema.safeParse(sent, { error: plainWords })
  const prototypes = prototypeMembers(sent, [])
  if (prototypes.length > 0)
    throw requestInvalid(
      ...prototypes.map((path) => ({ pointer: jsonPointer(...path), detail: 'is an unknown field' })),
    )
  if (read.success) return read.data
  throw requestInvalid(...inputErrors(read.error))
}

/** Parsing drops them without a word. */
function prototypeMembers(value: unknown, path: readonly string[]): Array<readonly string[]> {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === '__proto__' ? [[...path, name]] : prototypeMembers(member, [...path, name]),
  )
}

export function readParameters<Schema extends z.ZodObject>(schema: Schema, sent: unknown): z.output<Schema> {
  const read = schema.safeParse(sent, { error: parameterWords })
  if (read.success) return read.data
  const known = Object.keys(schema.shape)
  const takes = known.length === 0 ? 'This endpoint takes none' : `This endpoint takes ${enumeration(known)}`
  const unknown = (key: string, at: number) =>
    `is an unknown parameter.${at < maxHints ? didYouMean(key, known) : ''} ${takes}`
  const errors = read.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key, at) => parameterError(key, unknown(key, at)))
      : [parameterError(String(issue.path[0] ?? ''), issue.message)],
  )
  throw requestInvalid(...errors)
}

export function readHeader<Schema extends z.ZodType>(name: string, schema: Schema, sent: unknown): z.output<Schema> {
  const read = schema.safeParse(sent, { error: plainWords })
  if (read.success) return read.data
  throw requestInvalid(...read.error.issues.map(({ message }) => headerError(name, message)))
}

/** The store does not say which text it rejected, so search the input. */
export function unstorable({ params, query, body }: { params: unknown; query: unknown; body: unknown }): Failure {
  const ofParameters = [params, query].flatMap((sent) => unstorableTexts(sent, []))
  const errors = [
    ...ofParameters.map(([name = '']) => parameterError(name, cannotBeStored)),
    ...unstorableTexts(body, []).map((path) => ({ pointer: jsonPointer(...path), detail: cannotBeStored })),
  ]
  return new Failure('input_invalid', firstError(errors) ?? cannotStore, { errors })
}

const cannotBeStored = 'contains a character that cannot be stored'

export const cannotStore = 'The request contains a string that cannot be stored.'

function unstorableTexts(value: unknown, path: readonly string[]): Array<readonly string[]> {
  if (typeof value === 'string') return /[\0\p{Cs}]/u.test(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => unstorableTexts(member, [...path, name]))
}

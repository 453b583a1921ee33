import type { ZodError, z } from 'zod'
import { jsonPointer } from '../../kit/process/json-pointer.ts'
import { Failure, requestInvalid } from '../domain/failure.ts'
import { headerError, type InputError, parameterError } from '../domain/input-error.ts'
import { enumeration, parameterWords, plainWords } from './input-words.ts'

export const inputErrors = ({ issues }: Pick<ZodError, 'issues'>): InputError[] =>
  issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ pointer: jsonPointer(...issue.path), detail: wordsFor(issue) }]
    return issue.keys.map((key) => ({ pointer: jsonPointer(...issue.path, key), detail: noSuchMember }))
  })

const noSuchMember = 'is not valid: there is no such member'

/** Zod says "expected string, received undefined" for a missing value. */
const wordsFor = ({ code, message }: ZodError['issues'][number]): string =>
  code === 'invalid_type' && message.endsWith('received undefined') ? 'is required' : message

export function readBody<Schema extends z.ZodType>(schema: Schema, sent: unknown): z.output<Schema> {
  const read = schema.safeParse(sent, { error: plainWords })
  if (read.success) return read.data
  throw requestInvalid(...inputErrors(read.error))
}

export function readParameters<Schema extends z.ZodObject>(schema: Schema, sent: unknown): z.output<Schema> {
  const read = schema.safeParse(sent, { error: parameterWords })
  if (read.success) return read.data
  const known = Object.keys(schema.shape)
  const noSuch = `is not a parameter of this address, which takes ${enumeration(known) || 'none'}`
  const errors = read.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => parameterError(key, noSuch))
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
  return new Failure('input_invalid', 'The request has a text that cannot be stored. `errors` says where.', { errors })
}

const cannotBeStored = 'has a character that cannot be stored'

function unstorableTexts(value: unknown, path: readonly string[]): Array<readonly string[]> {
  if (typeof value === 'string') return /[\0\p{Cs}]/u.test(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => unstorableTexts(member, [...path, name]))
}

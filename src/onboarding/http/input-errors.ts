import type { ZodError } from 'zod'
import { Failure, type InputError } from '../domain/failure.ts'

/** What is wrong with an input, part by part. */
export const inputErrors = ({ issues }: Pick<ZodError, 'issues'>): InputError[] =>
  issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ pointer: pointerTo(issue.path), detail: wordsFor(issue) }]
    return issue.keys.map((key) => ({ pointer: pointerTo([...issue.path, key]), detail: noSuchMember }))
  })

const noSuchMember = 'is not valid: there is no such member'

/** The library says "expected string, received undefined" of what was left out. */
const wordsFor = ({ code, message }: ZodError['issues'][number]): string =>
  code === 'invalid_type' && message.endsWith('received undefined') ? 'is required' : message

/** RFC 6901. */
const pointerTo = (path: readonly PropertyKey[]) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The store refused a text and cannot say which: it is looked for in what was sent. */
export function unstorable({ params, query, body }: { params: unknown; query: unknown; body: unknown }): Failure {
  const errors = [params, query, body].flatMap((sent) => unstorableTexts(sent, []))
  return new Failure('input_invalid', 'The request has a text that cannot be stored. `errors` says where.', { errors })
}

function unstorableTexts(value: unknown, path: readonly string[]): InputError[] {
  if (typeof value === 'string') {
    return /[\0\p{Cs}]/u.test(value)
      ? [{ pointer: pointerTo(path), detail: 'has a character that cannot be stored' }]
      : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => unstorableTexts(member, [...path, name]))
}

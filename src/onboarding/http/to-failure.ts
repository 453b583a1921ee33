import { ZodError } from 'zod'
import { StoreUnavailable, ValueUnstorable } from '../../kit/database/store-errors.ts'
import { describeError, type Log } from '../../kit/process/log.ts'
import { Failure } from '../domain/failure.ts'

export type FailureLog = Log<'store.unavailable' | 'request.unexpected'>

/** Any thrown thing as a Failure; of what it carries beyond that, the log gets its kind and its place. */
export function toFailure(error: unknown, log: FailureLog, requestId: string): Failure {
  if (error instanceof Failure) {
    if (error.code === 'store_unavailable' && error.cause !== undefined)
      log('store.unavailable', { requestId, code: describeError(error.cause) })
    return error
  }
  if (error instanceof ZodError) return inputInvalid(error)
  const parsed = fromBodyParser(error)
  if (parsed) return parsed
  if (error instanceof ValueUnstorable)
    return new Failure('input_invalid', 'The request has a text that cannot be stored.')
  if (error instanceof StoreUnavailable) {
    log('store.unavailable', { requestId, code: describeError(error) })
    return new Failure('store_unavailable', 'We cannot store anything right now. Please try again in a moment.', {
      retryAfterSeconds: 5,
    })
  }
  log('request.unexpected', { requestId, code: describeError(error) })
  return new Failure('unexpected', 'The fault is on our side.')
}

function inputInvalid(error: ZodError): Failure {
  const errors = error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ pointer: pointerTo(issue.path), detail: wordsFor(issue) }]
    return issue.keys.map((key) => ({
      pointer: pointerTo([...issue.path, key]),
      detail: 'is not valid: there is no such member',
    }))
  })
  return new Failure('input_invalid', 'The request is not valid. `errors` says where.', { errors })
}

/** The library says "expected string, received undefined" of what was left out. */
const wordsFor = ({ code, message }: ZodError['issues'][number]): string =>
  code === 'invalid_type' && message.endsWith('received undefined') ? 'is required' : message

/** RFC 6901. */
const pointerTo = (path: PropertyKey[]) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function fromBodyParser(error: unknown): Failure | undefined {
  const type = (error as { type?: unknown } | undefined)?.type
  if (type === 'entity.too.large' || type === 'parameters.too.many')
    return new Failure('body_too_large', 'The body is larger than we take.')
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return new Failure('body_unreadable', 'The body did not arrive whole.')
  }
  if (type === 'entity.parse.failed') return new Failure('body_unreadable', 'The body is not JSON.')
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    return new Failure('content_type_unsupported', 'The body must be in UTF-8 and not compressed.')
  }
  if (error instanceof URIError) return new Failure('not_found', 'There is nothing at this address.')
  return undefined
}

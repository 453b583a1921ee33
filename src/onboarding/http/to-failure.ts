import { ZodError } from 'zod'
import { StoreUnavailable, ValueUnstorable } from '../../kit/database/store-errors.ts'
import { describeError, type Log } from '../../kit/process/log.ts'
import { Failure, requestInvalid } from '../domain/failure.ts'
import { cannotStore, inputErrors } from './input-errors.ts'

export type FailureLog = Log<'store.unavailable' | 'request.unexpected'>

/** The log gets the kind and place of an unexpected error. */
export function toFailure(error: unknown, log: FailureLog, requestId: string): Failure {
  if (error instanceof Failure) {
    if (error.code === 'store_unavailable' && error.cause !== undefined)
      log('store.unavailable', { requestId, code: describeError(error.cause) })
    return error
  }
  if (error instanceof ZodError) return requestInvalid(...inputErrors(error))
  const parsed = fromBodyParser(error)
  if (parsed) return parsed
  if (error instanceof ValueUnstorable) return new Failure('input_invalid', cannotStore)
  if (error instanceof StoreUnavailable) {
    log('store.unavailable', { requestId, code: describeError(error) })
    return new Failure('store_unavailable', 'We cannot store anything right now. Please try again in a moment.', {
      retryAfterSeconds: 5,
    })
  }
  log('request.unexpected', { requestId, code: describeError(error) })
  return new Failure('unexpected', 'The fault is on our side.')
}

function fromBodyParser(error: unknown): Failure | undefined {
  const type = (error as { type?: unknown } | undefined)?.type
  if (type === 'entity.too.large' || type === 'parameters.too.many')
    return new Failure('body_too_large', tooLarge(error))
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return new Failure('body_unreadable', 'The body is incomplete.')
  }
  if (type === 'entity.parse.failed') {
    return new Failure('body_unreadable', isJson(error) ? 'The body must be a JSON object.' : 'The body is not JSON.')
  }
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    return new Failure('content_type_unsupported', 'The body must be in UTF-8 and not compressed.')
  }
  if (error instanceof URIError) return new Failure('not_found', 'There is nothing at this address.')
  return undefined
}

/** The parser also rejects JSON that is neither an object nor a list. */
function isJson(error: unknown): boolean {
  try {
    JSON.parse(String((error as { body?: unknown }).body))
    return true
  } catch {
    return false
  }
}

function tooLarge(error: unknown): string {
  const { limit } = error as { limit?: unknown }
  if (typeof limit !== 'number') return 'The body is larger than we take.'
  return `The body is larger than ${Math.floor(limit / 1024)} kB, which is what this address takes.`
}

import { ZodError } from 'zod'
import { StoreUnavailable, ValueUnstorable } from '../../../kit/database/store-errors.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { Failure } from '../domain/failure.ts'

export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof ZodError) return new Failure('input_invalid', zodSentence(error), { cause: error })
  const { status } = (error ?? {}) as { status?: number }
  if (status === 413) return new Failure('body_too_large', 'The body is too large.')
  if (status === 415) return new Failure('media_type_unsupported', 'Send application/json, in UTF-8.')
  if (status !== undefined && status >= 400 && status < 500)
    return new Failure('input_invalid', 'The request is malformed.')
  if (error instanceof ValueUnstorable)
    return new Failure('input_invalid', 'A value cannot be stored.', { cause: error })
  if (error instanceof StoreUnavailable)
    return new Failure('store_unavailable', 'Try again in a moment.', { cause: error })
  return new Failure('unexpected', 'Internal error.', { cause: error })
}

export type FailureLog = Log<'request.unexpected' | 'store.unavailable'>

export function logFault(log: FailureLog, { code, cause }: Failure, requestId: string): void {
  if (code === 'unexpected') log('request.unexpected', { requestId, code: describeError(cause) })
  if (code === 'store_unavailable') log('store.unavailable', { requestId, code: describeError(cause) })
}

function zodSentence({ issues }: ZodError): string {
  const shown = issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
  return shown.join('; ').slice(0, 1_000)
}

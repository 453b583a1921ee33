// What an end user is told when a page cannot be shown. For support there is console-error.ts.
import type { Translator } from '../../../kit/messages/translator.ts'
import type { Failure, FailureCode } from '../../domain/failure.ts'
import { statuses } from '../problem.ts'

/** Codes that have a message of their own, or share one. */
const messageNames: Partial<Record<FailureCode, string>> = {
  connect_ended: 'connect_ended',
  callback_unknown: 'callback_unknown',
  callback_malformed: 'callback_malformed',
  callback_foreign: 'callback_foreign',
  origin_foreign: 'origin_foreign',
  integration_unavailable: 'integration_unavailable',
  connection_limit: 'connection_limit',
  provider_unavailable: 'provider_unavailable',
  not_found: 'not_found',
  rate_limited: 'rate_limited',
  store_unavailable: 'store_unavailable',
  body_unreadable: 'unreadable',
  body_too_large: 'unreadable',
  content_type_unsupported: 'unreadable',
  input_invalid: 'unreadable',
}

/** A failure's own detail is in English, and for whoever reads the API. */
export function errorLocals({ code, more }: Failure, requestId: string, { t }: Pick<Translator, 't'>) {
  const name = more.variant ?? messageNames[code] ?? (statuses[code] < 500 ? 'rejected' : 'unexpected')
  return {
    title: t(`error.${name}.title`),
    detail: t(`error.${name}.detail`),
    advice: t(`error.${name}.advice`),
    faults: [],
    nextPage: undefined,
    requestId,
  }
}

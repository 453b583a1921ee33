import { z } from 'zod'
import type { FailureCode } from '../../domain/failure.ts'

const requestId = {
  'X-Request-Id': {
    description: 'The ID of this request. Give it to support.',
    required: true,
    schema: z.string().regex(/^req_/),
  },
}

const replayed = {
  'Idempotency-Replayed': {
    description: 'Present if this is the stored response to an earlier request with the same key.',
    schema: z.literal('true'),
  },
}

const retryAfter = {
  'Retry-After': {
    description: 'The number of seconds to wait before a retry.',
    required: true,
    schema: z.string().regex(/^[0-9]+$/),
  },
}

const challenge = {
  'WWW-Authenticate': {
    description: 'The authentication scheme of API keys.',
    required: true,
    schema: z.literal('Bearer'),
  },
}

const inTestMode = {
  'Test-Mode': {
    description: 'Present on every response to a test key.',
    schema: z.literal('true'),
  },
}

export const idempotencyKey = {
  'Idempotency-Key': {
    description:
      'For a day, requests with the same key get the same response. Resources are created once, and rollbacks and disconnects are done once, even if a process dies during the request. A secret rotation that was interrupted this way may be repeated.',
    schema: z.string().min(1).max(255),
  },
}

export const answerHeaders = (method: string) => ({
  ...requestId,
  ...inTestMode,
  ...(method === 'post' && replayed),
})

/** Only if the first request with the Idempotency-Key is still running. */
const retryAfterBusy = { 'Retry-After': { ...retryAfter['Retry-After'], required: false } }

export const problemHeaders = (status: string, codes: readonly FailureCode[]) => ({
  ...requestId,
  ...(status !== '401' && inTestMode),
  ...(status === '401' && challenge),
  ...((status === '429' || status === '503') && retryAfter),
  ...(codes.includes('idempotency_key_busy') && retryAfterBusy),
})

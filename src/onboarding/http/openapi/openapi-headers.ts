import { z } from 'zod'

const requestId = {
  'X-Request-Id': {
    description: 'Names this request, for support.',
    required: true,
    schema: z.string().regex(/^req_/),
  },
}

const replayed = {
  'Idempotency-Replayed': {
    description: 'Present when the work was done before: this is the answer that the first request with the key got.',
    schema: z.literal('true'),
  },
}

const retryAfter = {
  'Retry-After': {
    description: 'In how many seconds it is worth trying again.',
    required: true,
    schema: z.string().regex(/^[0-9]+$/),
  },
}

const challenge = {
  'WWW-Authenticate': {
    description: 'How to send a key.',
    required: true,
    schema: z.literal('Bearer'),
  },
}

const inTestMode = {
  'Test-Mode': {
    description: 'Present on every response to a key of test mode.',
    schema: z.literal('true'),
  },
}

export const idempotencyKey = {
  'Idempotency-Key': {
    description:
      'The same key gets the same response for a day. What a request creates, and a rollback or disconnect, is done once, also when a process dies on it; a rotated secret may then be rotated once more.',
    schema: z.string().min(1).max(255),
  },
}

export const answerHeaders = (method: string) => ({
  ...requestId,
  ...inTestMode,
  ...(method === 'post' && replayed),
})

export const problemHeaders = (status: string) => ({
  ...requestId,
  ...(status !== '401' && inTestMode),
  ...(status === '401' && challenge),
  ...((status === '429' || status === '503') && retryAfter),
})

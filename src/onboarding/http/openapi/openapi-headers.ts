// Headers of answers that mean something to callers, as the OpenAPI document describes them.

export const headerComponents = {
  'X-Request-Id': {
    description: 'Names this request, for support.',
    required: true,
    schema: { type: 'string', pattern: '^req_' },
  },
  'Idempotency-Replayed': {
    description: 'Present when the work was done before: this is the answer that the first request with the key got.',
    schema: { const: 'true' },
  },
  'Retry-After': {
    description: 'In how many seconds it is worth trying again.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'WWW-Authenticate': {
    description: 'How to send a key.',
    required: true,
    schema: { const: 'Bearer' },
  },
} as const

export type HeaderName = keyof typeof headerComponents

export const headersOf = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

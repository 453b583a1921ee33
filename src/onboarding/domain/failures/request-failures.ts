import type { FailureEntry } from './failure-entry.ts'

export const requestFailures = {
  input_invalid: {
    status: 422,
    title: 'Invalid input',
    whoseMove: 'tenant',
    explanation:
      'The request has an invalid field, parameter or header. `detail` has the first error, and `errors` lists all: a field of the body by JSON pointer, a parameter of the query or the path by `parameter`, a header by `header`. Strings with a zero byte or a lone surrogate cannot be stored. Correct the request and send it again.',
    forSupport: { title: 'Something is missing or invalid', advice: 'Go back, correct it and send it again.' },
    forUser: 'body_unreadable',
  },
  body_unreadable: {
    status: 400,
    title: 'Unreadable body',
    whoseMove: 'tenant',
    explanation: 'The body is not JSON, or is JSON but no object. Nothing was done.',
    forSupport: {
      title: 'Your request didn’t arrive complete',
      advice: 'Nothing was changed. Go back and send it again.',
    },
    forUser: {
      title: 'We can’t read this request',
      detail: 'It didn’t arrive complete, or wasn’t sent from our page. Nothing was changed.',
      advice: 'Go back, reload the page and try again.',
    },
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    whoseMove: 'tenant',
    explanation: 'The body is over 32 kB, or over 1 MB for rows of an import and logos. `detail` names the limit.',
    forSupport: {
      title: 'Your request is too large',
      advice: 'Nothing was changed. Go back, shorten your text and send it again.',
    },
    forUser: 'body_unreadable',
  },
  content_type_unsupported: {
    status: 415,
    title: 'Unsupported content type',
    whoseMove: 'tenant',
    explanation: 'Send `Content-Type: application/json`, in UTF-8 and not compressed.',
    forSupport: {
      title: 'We can’t read this request',
      advice: 'Nothing was changed. Go back, reload the page and send its form.',
    },
    forUser: 'body_unreadable',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    whoseMove: 'tenant',
    explanation: '`Allow` in the response lists the methods this path accepts.',
    forSupport: {
      title: 'This isn’t supported here',
      advice: 'Nothing was changed. Open the page in a browser and use its forms.',
    },
  },
  not_found: {
    status: 404,
    title: 'Not found',
    whoseMove: 'tenant',
    explanation: 'The resource does not exist, or belongs to another tenant. The response is the same for both.',
    forSupport: { title: 'Page not found', advice: 'Check the address, or go back to the previous page.' },
    forUser: {
      title: 'Page not found',
      detail: 'There is nothing at this address.',
      advice: 'Check the address, or go back to the previous page.',
    },
  },
  credential_invalid: {
    status: 401,
    title: 'Invalid API key',
    whoseMove: 'tenant',
    explanation:
      'The API key is missing, wrong, revoked or expired. Send `Authorization: Bearer cwk_…`; keys are created with `npm run causeway -- keys create`.',
  },
  key_limited: {
    status: 403,
    title: 'Key limited to one tenant',
    whoseMove: 'operator',
    explanation: 'The key is limited to one tenant and may not change tenants. Use a key of the deployment.',
  },
  key_purpose: {
    status: 403,
    title: 'Key for another purpose',
    whoseMove: 'operator',
    explanation:
      'Settings are read and changed with a key that was created with `npm run causeway -- keys create --for settings`, and with such a key nothing else can be done.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    whoseMove: 'tenant',
    explanation: 'The `Idempotency-Key` was used for another request. Use a new one.',
  },
  idempotency_key_busy: {
    status: 409,
    title: 'Idempotency key in use',
    whoseMove: 'tenant',
    explanation:
      'The first request with this `Idempotency-Key` is still running. Send the same request again after `Retry-After` seconds. If the process that ran it died, the key is free after ten seconds.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    whoseMove: 'tenant',
    explanation:
      'Too many requests. `Retry-After` says how many seconds to wait. All keys of a tenant share one limit for the API, and some calls have a narrower one.',
    forSupport: { title: 'Too many attempts', advice: 'Wait a minute, then try again.' },
    forUser: {
      title: 'Too many attempts',
      detail: 'There were too many requests from your network.',
      advice: 'Wait a minute, then try again.',
    },
  },
  not_in_test_mode: {
    status: 409,
    title: 'Not available in test mode',
    whoseMove: 'tenant',
    explanation:
      'The key or the tenant is in test mode, which does not use the platform or run functions. Use a live key.',
  },
  test_mode_only: {
    status: 409,
    title: 'Available in test mode only',
    whoseMove: 'tenant',
    explanation: 'The tenant is live, and this is only for test-mode tenants. Use a test-mode key.',
  },
  store_unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    whoseMove: 'operator',
    explanation: 'The database or Redis is not responding. No data was lost; try again after `Retry-After` seconds.',
    forSupport: { title: 'We’re having a problem', advice: 'Nothing was lost. Try again in a minute.' },
    forUser: {
      title: 'We’re having a problem',
      detail: 'The problem is on our side. Nothing was lost.',
      advice: 'Try again in a minute.',
    },
  },
  unexpected: {
    status: 500,
    title: 'Unexpected error',
    whoseMove: 'operator',
    explanation:
      'An internal error. Send the maintainers the `instance` of the response; the log has an entry with that ID.',
    forSupport: {
      title: 'Something went wrong',
      advice: 'Try again. If it keeps happening, contact support with the request ID below.',
    },
    forUser: {
      title: 'Something went wrong',
      detail: 'The problem is on our side.',
      advice:
        'Try again. If it keeps happening, contact the team that sent you here, and give them the request ID below.',
    },
  },
} as const satisfies Record<string, FailureEntry>

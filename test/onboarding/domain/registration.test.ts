// O14: what whoever registered the client has to mend is not the user's move.
import { expect, test } from 'vitest'
import { abandonCause, consentEnd, registrationCause } from '../../../src/onboarding/domain/callback.ts'
import { causes } from '../../../src/onboarding/domain/cause.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'

test.each([
  ['redirect_uri_mismatch', 'redirect_uri_rejected'],
  ['bad_redirect_uri', 'redirect_uri_rejected'],
  ['invalid_client', 'client_rejected'],
  ['unauthorized_client', 'client_rejected'],
  ['invalid_scope', 'client_rejected'],
  ['unsupported_response_type', 'client_rejected'],
  ['application_suspended', 'client_rejected'],
] as const)('O14: %s is the operator’s, at the authorization page and at the token endpoint', (error, cause) => {
  expect(registrationCause(error)).toBe(cause)
  expect(consentEnd(error)).toEqual({ to: 'failed', facts: { cause } })
  expect(causes[cause].whoseMove).toBe('operator')
})

test.each(['invalid_grant', 'bad_verification_code', 'server_error', '__proto__'])(
  '%s says nothing about the client',
  (error) => {
    expect(registrationCause(error)).toBeUndefined()
  },
)

const gone = { state: 'abandoned', cause: 'session_expired' } as const

test.each([
  ['the first one ever', [], 'callback_missing'],
  ['after others who were not seen again', [gone, { ...gone, cause: 'callback_missing' }], 'callback_missing'],
  ['after one who came back', [gone, { state: 'linked', cause: undefined }], 'session_expired'],
  ['after one who declined', [{ state: 'denied', cause: 'consent_denied' }], 'session_expired'],
  ['after one whom the tenant did not confirm', [{ ...gone, cause: 'completion_missing' }], 'session_expired'],
] as const)('O14: a user who is not seen again, %s', (_, latest, cause) => {
  expect(abandonCause({ cause: undefined } as Link, latest)).toBe(cause)
})

test('who came back with another account before is told that', () => {
  expect(abandonCause({ cause: 'account_mismatch' } as Link, [])).toBe('account_mismatch')
})

// O14: an error in the client registration is not the user’s move.
import { expect, test } from 'vitest'
import { abandonCause, consentEnd, registrationCause } from '../../../src/onboarding/domain/callback.ts'
import { causes } from '../../../src/onboarding/domain/cause.ts'
import { signals } from '../../../src/onboarding/domain/doctor/signals.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'

test.each([
  ['redirect_uri_mismatch', 'redirect_uri_rejected'],
  ['bad_redirect_uri', 'redirect_uri_rejected'],
  ['invalid_client', 'client_rejected'],
  ['unauthorized_client', 'client_rejected'],
  ['invalid_scope', 'request_rejected'],
  ['unsupported_response_type', 'request_rejected'],
  ['application_suspended', 'app_suspended'],
  ['disabled_client', 'app_suspended'],
  ['org_internal', 'app_unverified'],
] as const)('O14: %s is the operator’s to fix, at the authorization page and at the token endpoint', (error, cause) => {
  expect(registrationCause(error)).toBe(cause)
  expect(consentEnd(error)).toEqual({ to: 'failed', facts: { cause, detail: error } })
  expect(causes[cause].whoseMove).toBe('operator')
})

test.each([
  ['invalid_client', 'AADSTS7000222: the secret has expired', 'client_secret_expired'],
  ['unauthorized_client', 'AADSTS7000112: disabled', 'app_suspended'],
  ['access_denied', 'AADSTS90094: an administrator is needed', 'admin_approval_needed'],
  ['invalid_client', 'AADSTS1234567: nobody knows this number', 'client_rejected'],
] as const)('%s with "%s" is %s: the error number takes precedence', (error, description, cause) => {
  expect(registrationCause(error, description)).toBe(cause)
  expect(consentEnd(error, description)).toEqual({ to: 'failed', facts: { cause, detail: error } })
})

test('an invalid request is the operator’s to fix, because the operator wrote the profile', () => {
  const { to, facts } = consentEnd('invalid_request', 'code_challenge is not a parameter of ours')

  expect([to, facts]).toEqual(['failed', { cause: 'request_rejected', detail: 'invalid_request' }])
  expect(causes.request_rejected.whoseMove).toBe('operator')
})

test.each(['<script>alert(1)</script>', 'call 555 to go on', 'a"b', 'x'.repeat(61), ''])(
  '%j is not recorded, because it is not an error code',
  (error) => {
    expect(consentEnd(error).facts).toEqual({ cause: 'consent_failed', detail: undefined })
  },
)

test('a declined consent is reported as denied, whatever its description', () => {
  expect(consentEnd('access_denied', 'The user said no.')).toMatchObject({ to: 'denied' })
})

test('the table has no duplicate codes', () => {
  const codes = signals.map(({ code }) => code)

  expect(codes.filter((code, at) => codes.indexOf(code) < at)).toEqual([])
})

test.each(['invalid_grant', 'bad_verification_code', 'server_error', '__proto__'])(
  '%s does not concern the client',
  (error) => {
    expect(registrationCause(error)).toBeUndefined()
  },
)

const gone = { state: 'abandoned', cause: 'session_expired' } as const

test.each([
  ['the first one ever', [], 'callback_missing'],
  ['after others who did not return', [gone, { ...gone, cause: 'callback_missing' }], 'callback_missing'],
  ['after one who returned', [gone, { state: 'linked', cause: undefined }], 'session_expired'],
  ['after one who declined', [{ state: 'denied', cause: 'consent_denied' }], 'session_expired'],
  ['after one whom the tenant did not confirm', [{ ...gone, cause: 'completion_missing' }], 'session_expired'],
] as const)('O14: a user who does not return, %s', (_, latest, cause) => {
  expect(abandonCause({ cause: undefined } as Link, latest)).toBe(cause)
})

test('keeps the account mismatch as the cause of an abandoned link', () => {
  expect(abandonCause({ cause: 'account_mismatch' } as Link, [])).toBe('account_mismatch')
})

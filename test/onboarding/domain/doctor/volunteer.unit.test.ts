import { expect, test } from 'vitest'
import {
  type LatestEvents,
  returnFinding,
  type StartedLinks,
  volunteerFindings,
} from '../../../../src/onboarding/domain/doctor/volunteer.ts'

const at = new Date('2026-11-16T12:00:00Z')
const nothing: LatestEvents = { link: undefined, check: undefined, revocation: undefined }

const findings = (latest: Partial<LatestEvents>, started: StartedLinks = []) =>
  volunteerFindings({ ...nothing, ...latest }, { grant: 'refresh' }, started)

const verdicts = (latest: Partial<LatestEvents>) => findings(latest).map((each) => each.verdict)

test('nothing is known before the first link', () => {
  expect(verdicts({})).toEqual(['inconclusive', 'inconclusive', 'inconclusive'])
})

test('a completed link, a used grant and a revocation are good signs', () => {
  const latest: LatestEvents = {
    link: { state: 'linked', cause: undefined, at },
    check: { outcome: 'healthy', cause: undefined, at },
    revocation: { outcome: 'revoked', at },
  }

  expect(verdicts(latest)).toEqual(['ok', 'ok', 'ok'])
})

test.each([
  ['refresh', 'refresh token and scopes were there'],
  ['lasting_access', ': access token and scopes were there'],
  ['exchange', ': access token and scopes were there'],
] as const)('checks a link with the grant %s for tokens and scopes', (grant, words) => {
  const [link] = volunteerFindings({ ...nothing, link: { state: 'linked', cause: undefined, at } }, { grant }, [])

  expect(link?.evidence).toContain(words)
})

test('reports faults that the operator can fix, not users’ actions', () => {
  expect(verdicts({ link: { state: 'failed', cause: 'redirect_uri_rejected', at } })[0]).toBe('wrong')
  expect(verdicts({ link: { state: 'failed', cause: 'scope_missing', at } })[0]).toBe('inconclusive')
  expect(verdicts({ check: { outcome: 'broken', cause: 'client_rejected', at } })[1]).toBe('wrong')
  expect(verdicts({ check: { outcome: 'broken', cause: 'grant_revoked', at } })[1]).toBe('inconclusive')
  expect(verdicts({ check: { outcome: 'unclear', cause: 'profile_mismatch', at } })[1]).toBe('wrong')
  expect(verdicts({ revocation: { outcome: 'blocked', at } })[2]).toBe('wrong')
})

test('an account that the app does not confirm points to the profile', () => {
  const [link] = findings({ link: { state: 'failed', cause: 'identity_invalid', at } })

  expect(link).toMatchObject({
    verdict: 'wrong',
    remedy: { whoseMove: 'operator', advice: expect.stringContaining('`account` of the profile') },
  })
})

test('a permission that no user grants points to the scopes of the app', () => {
  const link = { state: 'failed', cause: 'scope_missing', at } as const
  const lacking = { cameBack: true, cause: 'scope_missing' } as const

  const [never] = findings({ link }, [lacking, lacking, lacking, { cameBack: true, cause: undefined }])
  const [sometimes] = findings({ link }, [lacking, lacking, { cameBack: true, cause: undefined }])

  expect(never).toMatchObject({
    verdict: 'wrong',
    remedy: { whoseMove: 'operator', advice: expect.stringContaining('enabled for the OAuth app') },
  })
  expect(sometimes?.verdict).toBe('inconclusive')
})

test('an app that gives no user a refresh token is the operator’s to fix', () => {
  const link = { state: 'failed', cause: 'no_refresh_token', at } as const
  const lacking = { cameBack: true, cause: 'no_refresh_token' } as const

  const [never] = findings({ link }, [lacking, lacking, lacking])
  const [once] = findings({ link }, [lacking, { cameBack: true, cause: undefined }])

  expect(never).toMatchObject({
    verdict: 'wrong',
    remedy: { whoseMove: 'operator', advice: expect.stringContaining('enable refresh tokens') },
  })
  expect(once?.verdict).toBe('inconclusive')
})

test('reports the outcome of the latest link and how to clear it', () => {
  const [link] = findings({ link: { state: 'failed', cause: 'client_rejected', at } })

  expect(link?.evidence).toBe(
    'The latest link ended on 2026-11-16: The app rejected our OAuth client. If that was corrected since, linking one account clears this.',
  )
})

test('reports an app that rejects revocation as not matching its profile', () => {
  expect(verdicts({ revocation: { outcome: 'refused', at } })[2]).toBe('wrong')
  expect(verdicts({ revocation: { outcome: 'not_offered', at } })[2]).toBe('inconclusive')
})

/** The newest first: `-` did not come back. */
const started = (signs: string) => returnFinding([...signs].map((sign) => ({ cameBack: sign === '+' })))

test('counts users who did not return from the app', () => {
  expect(started('------------++')).toMatchObject({
    verdict: 'wrong',
    cause: 'callback_missing',
    evidence:
      '12 of 14 users did not come back from the app. The app may show an error page, for example for a redirect URI that is not registered.',
  })
})

test.each([
  ['no user was sent', '', 'inconclusive'],
  ['all users returned', '+++', 'ok'],
  ['one user left', '-++', 'inconclusive'],
  ['two users are too few', '--', 'inconclusive'],
  ['half of the users left', '---+++', 'inconclusive'],
  ['all users left', '---', 'wrong'],
  ['corrected since', '+----------', 'inconclusive'],
])('%s: %s is %s', (_, signs, verdict) => {
  expect(started(signs).verdict).toBe(verdict)
})

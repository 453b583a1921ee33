import { expect, test } from 'vitest'
import { type LatestEvents, volunteerFindings } from '../../../../src/onboarding/domain/doctor/volunteer.ts'

const at = new Date('2026-11-16T12:00:00Z')
const nothing: LatestEvents = { link: undefined, check: undefined, revocation: undefined }

const verdicts = (latest: Partial<LatestEvents>) =>
  volunteerFindings({ ...nothing, ...latest }, { grant: 'refresh' }).map((each) => each.verdict)

test('before anybody linked an account nothing is known', () => {
  expect(verdicts({})).toEqual(['inconclusive', 'inconclusive', 'inconclusive'])
})

test('a link that ended well, a grant in use and a revocation are good signs', () => {
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
] as const)('a link of the grant %s had what that grant has', (grant, words) => {
  const [link] = volunteerFindings({ ...nothing, link: { state: 'linked', cause: undefined, at } }, { grant })

  expect(link?.evidence).toContain(words)
})

test('what the operator has to mend is wrong, what a user did is not', () => {
  expect(verdicts({ link: { state: 'failed', cause: 'redirect_uri_rejected', at } })[0]).toBe('wrong')
  expect(verdicts({ link: { state: 'failed', cause: 'scope_missing', at } })[0]).toBe('inconclusive')
  expect(verdicts({ check: { outcome: 'broken', cause: 'client_rejected', at } })[1]).toBe('wrong')
  expect(verdicts({ check: { outcome: 'broken', cause: 'grant_revoked', at } })[1]).toBe('inconclusive')
  expect(verdicts({ check: { outcome: 'unclear', cause: 'profile_mismatch', at } })[1]).toBe('wrong')
  expect(verdicts({ revocation: { outcome: 'blocked', at } })[2]).toBe('wrong')
})

test('what the latest link ended with names the link, and says how that is cleared once it was corrected', () => {
  const [link] = volunteerFindings(
    { ...nothing, link: { state: 'failed', cause: 'client_rejected', at } },
    { grant: 'refresh' },
  )

  expect(link?.evidence).toBe(
    'The latest link ended on 2026-11-16 with client_rejected. If that was corrected since, linking one account clears this.',
  )
})

test('an app that refuses to revoke is not as its profile says', () => {
  expect(verdicts({ revocation: { outcome: 'refused', at } })[2]).toBe('wrong')
  expect(verdicts({ revocation: { outcome: 'not_offered', at } })[2]).toBe('inconclusive')
})

// Every signal of the doctor, said by a provider that misbehaves in that way, with the verdict it gets.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MisbehavingProvider, startMisbehavingProvider } from '../../../src/demo/misbehave/server.ts'
import { type GuardedFetch, guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { type DoctorWorld, doctorWorld } from './doctor-world.ts'

let provider: MisbehavingProvider
let fetch: GuardedFetch
let doctor: DoctorWorld

beforeAll(async () => {
  provider = await startMisbehavingProvider({ host: '127.0.0.1', port: 0 })
  fetch = guardedFetch({ allow: [`127.0.0.1:${provider.port}`], maxBytes: 1024 * 1024, timeoutMs: 2_000 })
  doctor = doctorWorld(provider, fetch)
})
afterAll(async () => {
  await fetch.close()
  await provider.close()
})

const registered = 'redirect_uri=registered'

/** The finding of one check, at a provider with these switches. */
const finding = async (check: string, path: string, more: object = {}) =>
  (await doctor.examine(path, more)).find((each) => each.check === check)

describe('the token endpoint, asked with a junk code', () => {
  test.each([
    ['errors=rfc', 'ok', undefined],
    ['errors=google', 'ok', undefined],
    ['errors=microsoft', 'ok', undefined],
    ['errors=slack', 'ok', undefined],
    ['errors=github', 'ok', undefined],
    ['errors=zoho', 'ok', undefined],
    ['errors=status_200', 'ok', undefined],
    ['errors=rfc;clients=forgotten', 'wrong', 'client_rejected'],
    ['errors=google;app=deleted', 'wrong', 'app_suspended'],
    ['errors=google;app=suspended', 'wrong', 'app_suspended'],
    ['errors=microsoft;clients=forgotten', 'wrong', 'client_rejected'],
    ['errors=microsoft;client_secret=expired', 'wrong', 'client_secret_expired'],
    ['errors=microsoft;app=suspended', 'wrong', 'app_suspended'],
    ['errors=slack;client_secret=expired', 'wrong', 'client_rejected'],
    ['errors=slack;clients=forgotten', 'wrong', 'client_rejected'],
    ['errors=github;client_secret=expired', 'wrong', 'client_rejected'],
    ['errors=github;app=suspended', 'wrong', 'app_suspended'],
    ['errors=clickup;clients=forgotten', 'wrong', 'client_rejected'],
    ['errors=clickup', 'inconclusive', undefined],
    ['broken_grant_error=who_knows', 'ok', undefined],
    ['client_error=who_knows;client_secret=expired', 'inconclusive', undefined],
    ['token_manner=html', 'inconclusive', undefined],
    ['token_manner=html_error', 'inconclusive', undefined],
    ['token_manner=empty', 'inconclusive', undefined],
    ['token_manner=redirect', 'inconclusive', undefined],
    ['token_manner=throttled', 'inconclusive', undefined],
    ['token_manner=server_error', 'inconclusive', undefined],
    ['token_manner=hang', 'inconclusive', undefined],
    ['token_manner=huge', 'inconclusive', undefined],
    ['token_manner=cut', 'inconclusive', undefined],
  ] as const)('%s: %s %s', async (path, verdict, cause) => {
    expect(await finding('token_endpoint', path)).toMatchObject({ verdict, ...(cause && { cause }) })
  })

  test('a wrong secret is told from a wrong way of sending it', async () => {
    const secret = await finding('token_endpoint', 'a1', { clientSecret: 'mistyped' })
    const way = await finding('token_endpoint', 'a2;client_authentication=basic')

    expect(secret).toMatchObject({ verdict: 'wrong', cause: 'client_rejected' })
    expect(secret?.evidence).not.toContain('other')
    expect(way).toMatchObject({ verdict: 'wrong', cause: 'client_rejected' })
    expect(way?.evidence).toContain('other clientAuthentication')
  })

  test('nothing of the secret stands in what was seen', async () => {
    const findings = await doctor.examine('a3', { clientSecret: 'CANARY-SECRET-of-doctor' })

    expect(JSON.stringify(findings.map(({ evidence }) => evidence))).not.toContain('CANARY')
  })
})

describe('the authorization endpoint, with our redirect URI and an impossible one', () => {
  test('one that is registered is ok, and the other is refused', async () => {
    expect(await finding('authorization_endpoint', `b1;${registered}`, { isRegistered: true })).toMatchObject({
      verdict: 'ok',
    })
  })

  test.each([
    [`b;${registered};errors=google`, 'wrong', 'redirect_uri_rejected'],
    [`b;${registered};errors=microsoft`, 'wrong', 'redirect_uri_rejected'],
    ['b;app=deleted;errors=google', 'wrong', 'app_suspended'],
    ['b;app=suspended;errors=google', 'wrong', 'app_suspended'],
    ['b;app=internal;errors=google', 'wrong', 'app_unverified'],
    ['b;admin_approval=needed;errors=google', 'wrong', 'admin_approval_needed'],
    ['b;admin_approval=needed;errors=microsoft', 'wrong', 'admin_approval_needed'],
    ['b;sign_in=before_checks', 'inconclusive', undefined],
    ['b;redirect_uri=any', 'inconclusive', undefined],
    [`b;${registered};errors=rfc`, 'inconclusive', undefined],
    ['b;authorize_manner=server_error', 'inconclusive', undefined],
    ['b;authorize_manner=hang', 'inconclusive', undefined],
  ] as const)('%s: %s %s', async (path, verdict, cause) => {
    expect(await finding('authorization_endpoint', path)).toMatchObject({ verdict, ...(cause && { cause }) })
  })

  test('GitHub sends a wrong one to the callback that is registered', async () => {
    const path = `b2;${registered};errors=github;redirect_uri_error=callback`

    expect(await finding('authorization_endpoint', path, { isOtherRegistered: true })).toMatchObject({
      verdict: 'wrong',
      cause: 'redirect_uri_rejected',
    })
  })
})

describe('metadata and clocks', () => {
  test('endpoints that moved are told', async () => {
    const moved = {
      endpoints: { authorization: 'https://moved.example/authorize', token: 'https://moved.example/token' },
    }

    expect(await finding('discovery', 'c1')).toMatchObject({ verdict: 'ok' })
    expect(await finding('discovery', 'c1', moved)).toMatchObject({ verdict: 'wrong' })
    expect(await finding('discovery', 'c2;discovery_manner=html_error')).toMatchObject({ verdict: 'inconclusive' })
  })

  test('a clock that is an hour behind is told', async () => {
    expect(await finding('clock', 'c3')).toMatchObject({ verdict: 'ok' })
    expect(await finding('clock', 'c4;clock_skew=1h')).toMatchObject({ verdict: 'wrong' })
  })
})

test('a client is asked about once a minute', async () => {
  await doctor.examine('d1', { isCounted: true })

  const again = await doctor.examine('d1', { isCounted: true })

  expect(again.find(({ check }) => check === 'token_endpoint')).toMatchObject({
    verdict: 'inconclusive',
    evidence: expect.stringContaining('within the last minute'),
  })
  expect(provider.instance('d1').requests.filter(({ endpoint }) => endpoint === 'token')).toHaveLength(1)
})

test('a probe grants nothing, whatever the provider says', async () => {
  await doctor.examine('d2')

  expect(provider.instance('d2').grants).toEqual([])
})

describe('a profile that knows the provider', () => {
  test('says which errors mean the client, as at Atlassian', async () => {
    const path = 'e1;errors=atlassian;client_secret=expired'

    expect(await finding('token_endpoint', path)).toMatchObject({ verdict: 'inconclusive' })
    expect(
      await finding('token_endpoint', path, { profile: { clientErrors: [{ error: 'access_denied', status: 401 }] } }),
    ).toMatchObject({ verdict: 'wrong', cause: 'client_rejected' })
  })

  test.each([
    ['e2;token_request=json', { tokenRequest: { format: 'json' } }],
    ['e3;client_id_parameter=client_key', { parameterNames: { client_id: 'client_key' } }],
    ['e4;pkce=refused', { pkce: 'none' }],
    ['e5;token_parameter=audience', { tokenRequest: { extra: { audience: 'api' } } }],
    ['e6;token_header=X-Version', { tokenRequest: { headers: { 'X-Version': '2' } } }],
  ])('%s: the probe is sent as a link would send it', async (path, profile) => {
    expect(await finding('token_endpoint', path)).not.toMatchObject({ verdict: 'ok' })
    expect(await finding('token_endpoint', path, { profile })).toMatchObject({ verdict: 'ok' })
  })
})

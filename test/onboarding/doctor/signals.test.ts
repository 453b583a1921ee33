// Every signal of the doctor, said by a provider that misbehaves in that way, with the verdict it gets.
import type { lookup } from 'node:dns'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conditions, errorCode, errorWords } from '../../../src/demo/misbehave/domain/errors.ts'
import { goodBehaviour } from '../../../src/demo/misbehave/domain/switch-table.ts'
import { tokenSwitches } from '../../../src/demo/misbehave/domain/switches.ts'
import { type MisbehavingProvider, startMisbehavingProvider } from '../../../src/demo/misbehave/server.ts'
import { guardedFetch, type ProbingFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import {
  adviceIn,
  type DoctorFinding,
  doctorChecks,
  whoseMoveIn,
} from '../../../src/onboarding/domain/doctor/finding.ts'
import { causeOf, signalIn, signalOnPage, signals } from '../../../src/onboarding/domain/doctor/signals.ts'
import { type DoctorWorld, doctorWorld } from './doctor-world.ts'

let provider: MisbehavingProvider
let fetch: ProbingFetch
let impatient: ProbingFetch
let doctor: DoctorWorld

beforeAll(async () => {
  provider = await startMisbehavingProvider({ host: '127.0.0.1', port: 0 })
  const reach = { allow: [`127.0.0.1:${provider.port}`], maxBytes: 1024 * 1024 }
  fetch = guardedFetch({ ...reach, timeoutMs: 50_000 })
  impatient = guardedFetch({ ...reach, timeoutMs: 2_000 })
  doctor = doctorWorld(provider, fetch)
})
afterAll(async () => {
  await Promise.all([fetch.close(), impatient.close()])
  await provider.close()
})

const registered = 'redirect_uri=registered'

/** The finding of one check, at a provider with these switches. */
const finding = async (check: string, path: string, more: object = {}, asked = doctor) =>
  (await asked.examine(path, more)).find((each) => each.check === check)

describe('the token endpoint, probed with a junk code', () => {
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
    ['token_manner=huge', 'inconclusive', undefined],
    ['token_manner=cut', 'inconclusive', undefined],
  ] as const)('%s: %s %s', async (path, verdict, cause) => {
    expect(await finding('token_endpoint', path)).toMatchObject({ verdict, ...(cause && { cause }) })
  })

  test('distinguishes a wrong secret from a wrong authentication method', async () => {
    const secret = await finding('token_endpoint', 'a1', { clientSecret: 'mistyped' })
    const way = await finding('token_endpoint', 'a2;client_authentication=basic')

    expect(secret).toMatchObject({ verdict: 'wrong', cause: 'client_rejected' })
    expect(secret?.evidence).not.toContain('other')
    expect(way).toMatchObject({ verdict: 'wrong', cause: 'client_rejected' })
    expect(way?.evidence).toContain('other clientAuthentication')
    expect(adviceIn(way as DoctorFinding)).toMatch(/secret are right.*"clientAuthentication": "client_secret_basic"/)
  })

  test.each(['rfc', 'microsoft', 'slack', 'github', 'clickup'])(
    'recognizes a mistyped secret in the format of %s',
    async (words) => {
      const found = await finding('token_endpoint', `a4;errors=${words}`, { clientSecret: 'mistyped' })

      expect(found).toMatchObject({ verdict: 'wrong', cause: 'client_rejected' })
    },
  )

  test('reports an address without a token endpoint', async () => {
    const { url } = provider.instance('a5')
    const endpoints = { authorization: `${url}/authorize`, token: `${url}/v1/tokn` }

    const found = await finding('token_endpoint', 'a5', { endpoints })

    expect(found).toMatchObject({ verdict: 'wrong', evidence: expect.stringContaining('status 404') })
    expect(adviceIn(found as DoctorFinding)).toContain('compare the addresses')
  })

  test('the findings do not contain the secret', async () => {
    const findings = await doctor.examine('a3', { clientSecret: 'CANARY-SECRET-of-doctor' })

    expect(JSON.stringify(findings.map(({ evidence }) => evidence))).not.toContain('CANARY')
  })
})

describe('the authorization endpoint, with our redirect URI and an impossible one', () => {
  test('reports a registered redirect URI as ok if the impossible one is rejected', async () => {
    expect(await finding('authorization_endpoint', `b1;${registered}`, { isRegistered: true })).toMatchObject({
      verdict: 'ok',
    })
  })

  test.each([
    [`b;${registered};errors=google`, 'wrong', 'redirect_uri_rejected'],
    [`b;${registered};errors=microsoft`, 'wrong', 'redirect_uri_rejected'],
    [`b;${registered};errors=slack`, 'wrong', 'redirect_uri_rejected'],
    [`b;${registered};errors=clickup`, 'wrong', 'redirect_uri_rejected'],
    ['b;app=deleted;errors=google', 'wrong', 'app_suspended'],
    ['b;app=suspended;errors=google', 'wrong', 'app_suspended'],
    ['b;app=internal;errors=google', 'wrong', 'app_unverified'],
    ['b;admin_approval=needed;errors=google', 'wrong', 'admin_approval_needed'],
    ['b;admin_approval=needed;errors=microsoft', 'wrong', 'admin_approval_needed'],
    ['b;app=unverified;errors=microsoft', 'wrong', 'admin_approval_needed'],
    ['b;sign_in=before_checks', 'inconclusive', undefined],
    ['b;redirect_uri=any', 'inconclusive', undefined],
    ['b;authorize_manner=server_error', 'inconclusive', undefined],
  ] as const)('%s: %s %s', async (path, verdict, cause) => {
    expect(await finding('authorization_endpoint', path)).toMatchObject({ verdict, ...(cause && { cause }) })
  })

  /** The plain page, JSON and the callback with RFC errors are our own forms: RFC 6749 leaves them open. */
  test.each([
    ['Google', 'errors=google'],
    ['Microsoft', 'errors=microsoft'],
    ['Slack', 'errors=slack'],
    ['GitHub', 'errors=github;redirect_uri_error=callback'],
    ['Atlassian', 'errors=atlassian;redirect_uri_error=error_page'],
    ['Zoho', 'errors=zoho'],
    ['a page without a reason', 'redirect_uri_error=plain_page'],
    ['JSON', 'redirect_uri_error=json'],
    ['an error at the registered callback', 'redirect_uri_error=callback'],
  ])('recognizes a rejected redirect URI in the form of %s', async (_, form) => {
    const found = await finding('authorization_endpoint', `b3;${registered};${form}`, { isOtherRegistered: true })

    expect(found).toMatchObject({ verdict: 'wrong', cause: 'redirect_uri_rejected' })
  })

  test('a page without a reason is inconclusive if the client is rejected too', async () => {
    const path = `b4;${registered};redirect_uri_error=plain_page`

    expect(await finding('authorization_endpoint', path, { clientSecret: 'mistyped' })).toMatchObject({
      verdict: 'inconclusive',
    })
  })

  test('names our redirect URI if it is rejected', async () => {
    const ours = 'https://connect.example/oauth/callback/provider'

    for (const form of [
      'errors=google',
      'redirect_uri_error=plain_page',
      'errors=atlassian;redirect_uri_error=error_page',
    ])
      expect(await finding('authorization_endpoint', `b5;${registered};${form}`)).toMatchObject({
        evidence: expect.stringMatching(new RegExp(`Ours is ${ours}$`)),
      })
  })

  test.each([
    ['a scope', 'scopes=on_app', 'invalid_scope'],
    ['PKCE', 'pkce=refused', 'invalid_request'],
  ])('reports a request that is rejected for %s as the fault of the profile', async (_, form, code) => {
    const found = await finding('authorization_endpoint', `b6;${registered};${form}`, { isRegistered: true })

    expect(found).toMatchObject({
      verdict: 'wrong',
      cause: 'request_rejected',
      evidence: expect.stringContaining(code),
    })
    expect(adviceIn(found as DoctorFinding)).toMatch(/profile.*PKCE or a scope/)
  })

  test('GitHub redirects an invalid one to the registered callback', async () => {
    const path = `b2;${registered};errors=github;redirect_uri_error=callback`

    expect(await finding('authorization_endpoint', path, { isOtherRegistered: true })).toMatchObject({
      verdict: 'wrong',
      cause: 'redirect_uri_rejected',
    })
  })
})

describe('metadata and clocks', () => {
  test('reports moved endpoints', async () => {
    const moved = {
      endpoints: { authorization: 'https://moved.example/authorize', token: 'https://moved.example/token' },
    }

    expect(await finding('discovery', 'c1')).toMatchObject({ verdict: 'ok' })
    expect(await finding('discovery', 'c1', moved)).toMatchObject({ verdict: 'wrong' })
    expect(await finding('discovery', 'c2;discovery_manner=html_error')).toMatchObject({ verdict: 'inconclusive' })
  })

  test('reports a clock that is an hour behind', async () => {
    expect(await finding('clock', 'c3')).toMatchObject({ verdict: 'ok' })
    const found = await finding('clock', 'c4;clock_skew=1h')
    expect(found).toMatchObject({ verdict: 'wrong', cause: 'clock_wrong' })
    expect(found?.evidence).toMatch(/^This machine says \S+Z, the app says \S+Z: this machine is 36\d\d s ahead\.$/)
    expect(whoseMoveIn(found as DoctorFinding)).toBe('operator')
    expect(adviceIn(found as DoctorFinding)).toContain('NTP')
  })
})

test.each([
  ['token_endpoint', 'token_manner=hang'],
  ['authorization_endpoint', 'b;authorize_manner=hang'],
])('an endpoint that never responds is inconclusive: %s', async (check, path) => {
  const found = await finding(check, path, {}, doctorWorld(provider, impatient))

  expect(found).toMatchObject({ verdict: 'inconclusive' })
})

test('probes a client at most once a minute', async () => {
  await doctor.examine('d1', { isCounted: true })

  const again = await doctor.examine('d1', { isCounted: true })

  expect(again.find(({ check }) => check === 'token_endpoint')).toMatchObject({
    verdict: 'inconclusive',
    evidence: expect.stringContaining('within the last minute'),
  })
  expect(provider.instance('d1').requests.filter(({ endpoint }) => endpoint === 'token')).toHaveLength(1)
})

test('a blocked address is reported to the operator and can be retried immediately', async () => {
  const strict = guardedFetch({ allow: [], maxBytes: 1024 * 1024 })
  const before = provider.instance('d3').requests.length
  const { examine } = doctorWorld(provider, strict)

  const findings = [await examine('d3', { isCounted: true }), await examine('d3', { isCounted: true })]
  await strict.close()

  for (const found of findings) {
    for (const check of ['addresses', 'token_endpoint']) {
      const finding = found.find((each) => each.check === check) as DoctorFinding
      expect([check, finding.verdict, whoseMoveIn(finding)]).toEqual([check, 'wrong', 'operator'])
      expect(finding.cause).toBe('address_blocked')
      expect(adviceIn(finding)).toContain('EGRESS_ALLOW')
    }
    expect(found.find(({ check }) => check === 'clock')).toMatchObject({
      verdict: 'inconclusive',
      evidence: 'The app was not asked for the time: Calls to this address are not allowed.',
    })
  }
  expect(provider.instance('d3').requests).toHaveLength(before)
})

test('a name that resolves to an internal address does not count as a probe', async () => {
  const resolve = ((_name, _options, callback) =>
    (callback as (error: null, found: object[]) => void)(null, [{ address: '10.0.0.1', family: 4 }])) as typeof lookup
  const inner = guardedFetch({ allow: [], maxBytes: 1024 * 1024, resolve })
  const { examine } = doctorWorld(provider, inner)
  const endpoints = { authorization: 'https://app.example.com/authorize', token: 'https://app.example.com/token' }
  const examined = () => examine('d4', { isCounted: true, endpoints, profile: { issuer: 'https://app.example.com' } })

  const findings = [await examined(), await examined()]
  await inner.close()

  for (const found of findings) {
    expect(found.find(({ check }) => check === 'token_endpoint')).toMatchObject({ verdict: 'wrong' })
  }
})

describe('on a machine without internet', () => {
  const unresolved = ((_name, _options, answer) =>
    (answer as (error: Error) => void)(Object.assign(new Error('away'), { code: 'ENOTFOUND' }))) as typeof lookup
  const endpoints = { authorization: 'https://app.example.com/authorize', token: 'https://app.example.com/token' }

  test.each([
    ['an OAuth app', { endpoints }],
    ['an MCP server', { mcpUrl: 'https://mcp.example.com/mcp', endpoints: undefined, scopes: [] }],
  ])('gives no verdict about the addresses of %s', async (_, profile) => {
    const offline = guardedFetch({ allow: [], maxBytes: 1024 * 1024, resolve: unresolved })

    const findings = await doctorWorld(provider, offline).examine('d6', {
      profile: { issuer: 'https://app.example.com', ...profile },
    })
    await offline.close()

    const asked = findings.filter(({ check }) => doctorChecks[check].layer === 'network')
    expect(asked).toMatchObject([{ check: 'internet', verdict: 'inconclusive' }])
    expect(asked[0]?.evidence).toContain('cannot resolve names')
    expect(findings.filter(({ verdict }) => verdict === 'wrong')).toEqual([])
  })
})

test('a blocked MCP server is not reported for its metadata', async () => {
  const strict = guardedFetch({ allow: [], maxBytes: 1024 * 1024 })
  const profile = { mcpUrl: `http://127.0.0.1:${provider.port}/mcp`, endpoints: undefined, scopes: [] }

  const findings = await doctorWorld(provider, strict).examine('d5', { profile })
  await strict.close()

  const bad = findings.filter(({ verdict }) => verdict === 'wrong')
  expect(bad.map((each) => [each.check, whoseMoveIn(each)])).toEqual([['addresses', 'operator']])
  expect(findings.map(({ check }) => check)).not.toContain('discovery')
})

test('does not probe an address before its inputs are entered', async () => {
  const { url } = provider.instance('d4;host_input=path')
  const profile = {
    issuer: undefined,
    endpoints: { authorization: `${url}/at/{site}/authorize`, token: `${url}/at/{site}/token` },
    inputs: { site: { label: 'Site', pattern: '[a-z0-9]{1,20}' } },
    account: { from: 'none' },
    scopes: [{ name: 'files.read' }],
  }

  const findings = await doctor.examine('d4;host_input=path', { profile })

  const said = (check: string) => findings.find((each) => each.check === check)
  expect(said('token_endpoint')?.evidence).toMatch(/^It was not asked/)
  expect(said('clock')?.evidence).toMatch(/^The app was not asked for the time/)
  for (const check of ['addresses', 'clock', 'token_endpoint', 'authorization_endpoint'])
    expect(said(check)).toMatchObject({ verdict: 'inconclusive', evidence: expect.stringMatching(/the input site\b/) })
  expect(provider.instance('d4;host_input=path').requests).toEqual([])
})

test('a probe creates no grant', async () => {
  await doctor.examine('d2')

  expect(provider.instance('d2').grants).toEqual([])
})

describe('a profile that knows the provider', () => {
  test('lists the errors that concern the client, as at Atlassian', async () => {
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
  ])('%s: the probe is sent in the format of a link', async (path, profile) => {
    expect(await finding('token_endpoint', path)).not.toMatchObject({ verdict: 'ok' })
    expect(await finding('token_endpoint', path, { profile })).toMatchObject({ verdict: 'ok' })
  })
})

describe('every signal of the table', () => {
  /** Microsoft sends its codes in the description. */
  const said = (code: string) =>
    code.startsWith('AADSTS') ? signalIn('invalid_request', `${code}: something is wrong.`) : signalIn(code)

  test.each(signals)('recognizes $code of $from, also on a page', (signal) => {
    expect(said(signal.code)).toBe(signal)
    const isOfRfc = signal.from.startsWith('RFC')
    expect(signalOnPage(`<p>Error: ${signal.code}.</p>`)).toBe(isOfRfc ? undefined : signal)
    expect(signalOnPage(`<p>${signal.code}_of_another_sort</p>`)?.code).not.toBe(signal.code)
  })

  test('can be produced by the provider double', () => {
    const manners = tokenSwitches.errors.values.split(', ').map((errors) => tokenSwitches.errors.parse(errors))
    const said = manners.flatMap((errors) => {
      const switches = { ...goodBehaviour(), ...(errors && { errors }) }
      return conditions.flatMap((condition) => [errorCode(condition, switches), errorWords(condition, switches)])
    })

    expect(manners.length).toBeGreaterThan(8)
    expect(signals.map(({ code }) => code).filter((code) => !said.includes(code))).toEqual([])
  })

  test('reports a problem of the app, except for errors about a code or a grant', () => {
    const silent = signals.filter((signal) => causeOf(signal) === undefined).map(({ code }) => code)

    expect(silent.sort()).toEqual(
      [
        'AADSTS700082',
        'OAUTH_019',
        'bad_refresh_token',
        'bad_verification_code',
        'invalid_code',
        'invalid_grant',
        'invalid_refresh_token',
      ].sort(),
    )
  })
})

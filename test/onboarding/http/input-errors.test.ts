import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

const session = () => ({
  tenantId: 'acme',
  integrationId: 'provider',
  endUser: { id: 'user-1' },
  returnUrl,
  completionChallenge: 'x'.repeat(43),
})

const errorsOf = async (...request: Parameters<OnboardingWorld['api']>) => {
  const { status, body } = await world.api(...request)
  expect(status).toBe(422)
  return body.errors
}

test.each([
  ['/links?status=lost', 'status', /^must be one of .*pending.*linked/],
  ['/links?limit=1000', 'limit', /^must be an integer from 1 to 200$/],
  ['/links?tenantId=acme&tenantId=globex', 'tenantId', /^must be given once$/],
  ['/links?status=linked&status=failed', 'status', /^must be given once$/],
  [`/integrations?q=${'x'.repeat(101)}`, 'q', /^must have at most 100 characters$/],
  ['/audit?from=yesterday', 'from', /^must be a time such as 2026-11-15T08:00:00Z$/],
  ['/links?page=2', 'page', /^is an unknown parameter\. This endpoint takes .*cursor.* and /],
  ['/links?tenant=acme', 'tenant', /^is an unknown parameter\. Did you mean "tenantId"\? This endpoint takes /],
  ['/links?status=linkd', 'status', /linked.*\. Did you mean "linked"\?$/],
  ['/tenants/acme?verbose=1', 'verbose', /^is an unknown parameter\. This endpoint takes none$/],
  ['/erasures?endUserId=user-1', 'tenantId', /^is required with endUserId$/],
  [`/links/${'x'.repeat(201)}`, 'linkId', /^must have at most 200 characters$/],
])('%s is rejected with the name of the parameter', async (path, parameter, words) => {
  const errors = await errorsOf('GET', path)

  expect(errors).toEqual([{ pointer: `/${parameter}`, parameter, detail: expect.stringMatching(words) }])
})

test('a header is rejected by its name, without repeating its value', async () => {
  const headers = { 'Idempotency-Key': 'k'.repeat(256) }
  const errors = await errorsOf('POST', '/connect-sessions', session(), headers)

  expect(errors).toEqual([
    { pointer: '/Idempotency-Key', header: 'Idempotency-Key', detail: 'must be 1 to 255 printable characters' },
  ])
})

test.each([
  [{ endUser: 'user-1' }, '/endUser', 'must be an object'],
  [{ endUser: { id: 7 } }, '/endUser/id', 'must be a string'],
  [{ endUser: { id: '' } }, '/endUser/id', 'must not be empty'],
  [{ endUser: { id: 'x'.repeat(201) } }, '/endUser/id', 'must have at most 200 characters'],
  [{ integrationIds: 'gmail' }, '/integrationIds', 'must be an array'],
  [{ ifConnected: 'maybe' }, '/ifConnected', 'must be one of add, relink and refuse'],
  [{ ifConnected: 'relnik' }, '/ifConnected', 'must be one of add, relink and refuse. Did you mean "relink"?'],
  [{ integration: 'gmail' }, '/integration', 'is an unknown field. Did you mean "integrationId"?'],
  [
    { endUser: { id: 'u', displayname: 'U' } },
    '/endUser/displayname',
    'is an unknown field. Did you mean "displayName"?',
  ],
  [{ colour: 'red' }, '/colour', 'is an unknown field'],
])('an invalid field is explained: %j', async (wrong, pointer, detail) => {
  const errors = await errorsOf('POST', '/connect-sessions', { ...session(), ...wrong })

  expect(errors).toContainEqual({ pointer, detail })
})

test('a problem links to the page that explains it', async () => {
  const { body } = await world.api('GET', '/links/lnk_none')

  expect(body).toMatchObject({
    type: '/problems/not_found',
    docs: `${world.url}/docs/reference/errors#not_found`,
  })
})

test.each([
  [{ tenantId: 7 }, 'tenantId must be a string.'],
  [{ endUser: { id: 7 } }, 'endUser.id must be a string.'],
  [{ ifConnected: 'relnik' }, 'ifConnected must be one of add, relink and refuse. Did you mean "relink"?'],
  [{ endUser: undefined, returnUrl: undefined }, 'endUser is required (and 1 more; see `errors`).'],
  [
    { integration: 'gmail', colour: 'red' },
    'integration is an unknown field. Did you mean "integrationId"? (And 1 more; see `errors`.)',
  ],
  [{ integrationId: 'provder' }, 'No integration "provder". Did you mean "provider"?'],
])('`detail` has the first error: %j', async (wrong, detail) => {
  const { status, body } = await world.api('POST', '/connect-sessions', { ...session(), ...wrong })

  expect([status, body.detail]).toEqual([422, detail])
})

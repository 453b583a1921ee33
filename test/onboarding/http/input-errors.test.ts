// What a tenant's developer reads when a part of a request is not valid: which part it is, and what is expected there.
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
  ['/links?limit=1000', 'limit', /^must be a whole number from 1 to 200$/],
  ['/links?tenantId=acme&tenantId=globex', 'tenantId', /^must be given once$/],
  ['/links?status=linked&status=failed', 'status', /^must be given once$/],
  [`/integrations?q=${'x'.repeat(101)}`, 'q', /^must have at most 100 characters$/],
  ['/audit?from=yesterday', 'from', /^must be a time such as 2026-11-15T08:00:00Z$/],
  ['/links?page=2', 'page', /^is not a parameter of this address, which takes .*cursor.* and /],
  ['/tenants/acme?verbose=1', 'verbose', /^is not a parameter of this address, which takes none$/],
  ['/erasures?endUserId=user-1', 'tenantId', /^is required with endUserId$/],
  [`/links/${'x'.repeat(201)}`, 'linkId', /^must have at most 200 characters$/],
])('%s is refused by the name of the parameter', async (path, parameter, words) => {
  const errors = await errorsOf('GET', path)

  expect(errors).toEqual([{ pointer: `/${parameter}`, parameter, detail: expect.stringMatching(words) }])
})

test('a header is refused by its name, and without repeating it', async () => {
  const headers = { 'Idempotency-Key': 'k'.repeat(256) }
  const errors = await errorsOf('POST', '/connect-sessions', session(), headers)

  expect(errors).toEqual([
    { pointer: '/Idempotency-Key', header: 'Idempotency-Key', detail: 'must be 1 to 255 printable characters' },
  ])
})

test.each([
  [{ endUser: 'user-1' }, '/endUser', 'must be an object'],
  [{ endUser: { id: 7 } }, '/endUser/id', 'must be a text'],
  [{ endUser: { id: '' } }, '/endUser/id', 'must not be empty'],
  [{ endUser: { id: 'x'.repeat(201) } }, '/endUser/id', 'must have at most 200 characters'],
  [{ integrationIds: 'gmail' }, '/integrationIds', 'must be a list'],
  [{ ifConnected: 'maybe' }, '/ifConnected', 'must be one of add, relink and refuse'],
])('a member of a body that is not as it should be says what it must be: %j', async (wrong, pointer, detail) => {
  const errors = await errorsOf('POST', '/connect-sessions', { ...session(), ...wrong })

  expect(errors).toContainEqual({ pointer, detail })
})

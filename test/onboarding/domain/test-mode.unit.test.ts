import { expect, test } from 'vitest'
import { isInSight, workspacePattern } from '../../../src/onboarding/domain/tenant.ts'
import { isGrantAlive } from '../../../src/onboarding/domain/test-mode/test-mode.ts'
import { catalogue } from '../../../src/onboarding/integrations/catalogue.ts'

const publicUrl = 'https://connect.example'

test('in test mode, integrations only use addresses of the built-in provider', () => {
  const integrations = catalogue([], publicUrl)
  const linkable = integrations.items().filter(({ isLinkable }) => isLinkable)

  const addresses = linkable.flatMap(({ id }) => {
    // Some scopes are URLs. Real addresses only tell what a user pasted. Neither is ever called.
    const { inputs, about, description, scopes, optionalScopes, realAddresses, ...profile } = integrations.of({
      tenant: 'test_acme',
      integration: id,
    })!
    return JSON.stringify(profile).match(/https?:[^"\s]*/g) ?? []
  })

  expect(linkable.length).toBeGreaterThan(100)
  expect(addresses.length).toBeGreaterThanOrEqual(3 * linkable.length)
  expect(addresses.filter((address) => !address.startsWith(`${publicUrl}/test-provider/`))).toEqual([])
})

test('a live tenant gets the integration unchanged', () => {
  const integrations = catalogue([], publicUrl)

  expect(integrations.of({ tenant: 'acme', integration: 'gmail' })).toBe(integrations.find('gmail'))
})

test.each([
  [{}, 'acme', true],
  [{}, 'test_acme', true],
  [{ testMode: false }, 'acme', true],
  [{ testMode: false }, 'test_acme', false],
  [{ testMode: false }, undefined, true],
  [{ testMode: true }, 'acme', false],
  [{ testMode: true }, 'test_acme', true],
  [{ testMode: true }, undefined, false],
  [{ tenant: 'acme', testMode: false }, 'globex', false],
  [{ tenant: 'test_acme', testMode: true }, 'test_globex', false],
])('with visibility %o, a resource of %s is visible: %s', (sight, owner, expected) => {
  expect(isInSight(sight, owner)).toBe(expected)
})

test('a platform workspace cannot have the name of a test tenant', () => {
  expect(workspacePattern.test('test_acme')).toBe(false)
})

test.each([
  ['expires', 3_599, true],
  ['expires', 3_600, false],
  ['revoked', 9, true],
  ['revoked', 10, false],
  ['approved', 3_600, true],
] as const)('a grant that was %s is alive after %d seconds: %s', (outcome, seconds, expected) => {
  const now = new Date(seconds * 1_000)

  expect(isGrantAlive({ outcome, scopes: [], grantedAt: 0 }, now)).toBe(expected)
})

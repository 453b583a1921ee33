// O14: a first link proves its grant, where using a refresh token does not replace it.
import { describe, expect, test } from 'vitest'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { grant, provisioningInMemory } from '../../support/worlds/provisioning-in-memory.ts'

const fails =
  (...args: ConstructorParameters<typeof DependencyError>) =>
  () => {
    throw new DependencyError(...args)
  }

const open = (rotation: 'none' | 'replaces' | undefined, link: Partial<Link> = {}) =>
  provisioningInMemory({ link, integration: { rotation } })

test('O14: refreshes once before the link is linked', async () => {
  const world = open('none')

  const link = await world.run({ grant: grant() })

  expect(link.state).toBe('linked')
  expect(world.calls.made.toSorted()).toEqual(['createConnection', 'createFunction', 'refresh', 'verifyFunction'])
})

test('O14: refreshes once even if functions are not verified', async () => {
  const world = open('none')
  world.settings.verifyFunctions = false

  expect((await world.run({ grant: grant() })).state).toBe('linked')
  expect(world.calls.made).toEqual(['createConnection', 'createFunction', 'refresh'])
})

test.each(['replaces', undefined] as const)(
  'O14: does not refresh if the token may rotate (rotation: %s)',
  async (rotation) => {
    const world = open(rotation)

    expect((await world.run({ grant: grant() })).state).toBe('linked')
    expect(world.calls.made).not.toContain('refresh')
  },
)

test('O14: a second worker does not refresh again', async () => {
  const world = open('none')
  world.calls.instead.verifyFunction = fails('platform_unavailable', { retry: {} })
  await world.run({ grant: grant() })
  world.calls.instead = {}
  world.takeOver({ nextAttemptAt: undefined })

  expect((await world.run()).state).toBe('linked')
  expect(world.calls.made.filter((call) => call === 'refresh')).toHaveLength(1)
})

describe('O14: a broken grant', () => {
  test('ends the link, is revoked and leaves nothing on the platform', async () => {
    const world = open('none')
    world.calls.instead.refresh = fails('grant_revoked')

    expect(await world.run({ grant: grant() })).toMatchObject({ state: 'failed', cause: 'grant_unusable' })
    expect(world.calls.made.slice(-3)).toEqual(['deleteFunction', 'deleteConnection', 'revoke'])
  })

  test.each(['client_rejected', 'profile_mismatch', 'address_blocked'] as const)(
    'due to the client or the profile (%s) is the operator’s to fix: the grant waits, and nothing is deleted',
    async (cause) => {
      const world = open('none')
      world.calls.instead.refresh = fails(cause)

      expect(await world.run({ grant: grant() })).toMatchObject({
        state: 'needs_attention',
        cause,
        resumeFrom: 'function_ready',
      })
      expect(world.calls.made).not.toContain('revoke')
    },
  )

  test.each([
    ['is away', fails('provider_unavailable', { retry: {} })],
    ['received the request and never responded', fails('exchange_unknown')],
  ])('is not assumed if the provider %s: the step is retried', async (_, refresh) => {
    const world = open('none')
    world.calls.instead.refresh = refresh

    const waiting = await world.run({ grant: grant() })

    expect(waiting).toMatchObject({ state: 'function_ready', cause: 'provider_unavailable', attempts: 1 })
  })
})

test('O14: writes an unexpectedly rotated token to the platform', async () => {
  const world = open('none')
  const { refresh } = world.ports.provider
  world.ports.provider.refresh = async (request) => ({ ...(await refresh(request)), rotated: true })

  expect((await world.run({ grant: grant() })).state).toBe('linked')
  expect(world.calls.made).toContain('replaceConnection')
})

import { expect, test } from 'vitest'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { grant, provisioningInMemory } from '../../support/worlds/provisioning-in-memory.ts'

const relinking = (link: Partial<Link> = {}, integration = {}) =>
  provisioningInMemory({ link: { kind: 'relink', ...link }, integration })

const fails =
  (...args: ConstructorParameters<typeof DependencyError>) =>
  () => {
    throw new DependencyError(...args)
  }

test('revokes a new grant that fails its trial refresh and leaves the grant in use', async () => {
  const world = relinking()
  world.calls.instead.refresh = fails('grant_revoked')

  const link = await world.run({ grant: grant() })

  expect(link).toMatchObject({ state: 'failed', cause: 'grant_unusable' })
  expect(world.calls.made).toEqual(['refresh', 'revoke'])
})

test('restores the previous grant once the platform is available again', async () => {
  const world = relinking({ state: 'rolling_back' })
  world.calls.instead.replaceConnection = fails('platform_unavailable', { retry: {} })
  const waiting = await world.run()
  world.calls.instead.replaceConnection = undefined
  world.takeOver({ nextAttemptAt: undefined })

  const ended = await world.run()

  expect(waiting).toMatchObject({ state: 'rolling_back', cause: 'platform_unavailable', attempts: 1 })
  expect(ended).toMatchObject({ state: 'failed', cause: 'relink_rolled_back' })
  expect(world.calls.made).toEqual(['replaceConnection', 'replaceConnection', 'revoke'])
})

test('restores the previous connection if secrets cannot be replaced', async () => {
  const world = relinking({ connectionName: 'provider-2' })
  world.settings.connectionPut = false
  world.calls.instead.verifyFunction = fails('platform_refused')

  const link = await world.run({ grant: grant() })

  expect(link).toMatchObject({ state: 'failed', cause: 'relink_rolled_back' })
  expect(world.calls.made).toEqual([
    ...['refresh', 'createConnection', 'pointFunction', 'verifyFunction'],
    ...['pointFunction', 'deleteConnection', 'revoke'],
  ])
})

test('does not repeat a trial refresh whose response was lost if refresh tokens rotate', async () => {
  const world = relinking({ state: 'testing' }, { rotation: 'replaces' })

  const link = await world.run()

  expect(link).toMatchObject({ state: 'failed', cause: 'grant_unusable' })
  expect(world.calls.made).toEqual(['revoke'])
})

test('asks for the right account after the grant of another one is revoked', async () => {
  const world = relinking()
  const other = grant({ account: { id: 'account-2', label: 'second@provider.example' } })
  world.calls.instead.revoke = () => 'refused'
  const waiting = await world.run({ grant: other })
  world.calls.instead.revoke = undefined
  world.takeOver({ nextAttemptAt: undefined })

  const asked = await world.run({ grant: other })

  expect(waiting).toMatchObject({ state: 'escrowed', cause: 'provider_unavailable' })
  expect(asked).toMatchObject({ state: 'authorizing', cause: 'account_mismatch' })
  expect(world.calls.made).toEqual(['revoke', 'revoke'])
})

test.each([
  { isShared: false, calls: ['refresh', 'replaceConnection', 'verifyFunction', 'revoke'] },
  { isShared: true, calls: ['refresh', 'replaceConnection', 'verifyFunction'] },
])('revokes the consent of the previous account unless another connection uses it: $isShared', async (row) => {
  const world = relinking({ allowOtherAccount: true }, { revocation: { reach: 'grant' } })
  world.ports.storedGrants.sharesConsent = async () => row.isShared

  const link = await world.run({ grant: grant({ account: { id: 'account-2', label: 'second@provider.example' } }) })

  expect(link.state).toBe('linked')
  expect(world.calls.made).toEqual(row.calls)
  expect(world.changed.at(-1)?.connected).toMatchObject({ previousSeconds: 0 })
})

test.each(['first', 'relink'] as const)('schedules the first health check of a link: %s', async (kind) => {
  const inSeconds = async (integration = {}) => {
    const world = provisioningInMemory({ link: { kind }, integration })
    await world.run({ grant: grant() })
    return world.changed.at(-1)?.connected?.checkInSeconds
  }

  expect(await inSeconds()).toBe(60)
  expect(await inSeconds({ health: { by: 'function', everySeconds: 600 } })).toBe(600)
})

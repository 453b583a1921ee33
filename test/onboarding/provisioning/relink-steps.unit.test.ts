import { describe, expect, test } from 'vitest'
import { disconnect } from '../../../src/onboarding/connections/flows/disconnect.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { byKey, openMemoryWorld } from '../../support/memory/world.ts'
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

test('revokes the grant of a re-link whose connection was disconnected meanwhile', async () => {
  const world = await openMemoryWorld({ integration: { revocation: { reach: 'grant' } } })
  const connection = await world.addConnection()
  const link = await world.escrow(await world.addLink({ connectionId: connection.id }), 'second grant')
  const disconnected = { connectionId: connection.id, actor: byKey, reason: 'left us' }
  await (await disconnect(world, world.settings, disconnected)).done
  world.clock.pass(60)

  await sweepLinks(world, world.settings)

  expect(await world.links.find(link.id)).toMatchObject({ state: 'failed', cause: 'connection_gone' })
  expect(world.provider.calls).toEqual(['revoke first grant', 'revoke second grant'])
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

const unlinked = (integration = {}) => {
  const world = relinking({}, integration)
  const { find } = world.ports.connections
  world.ports.storedGrants.find = async () => undefined
  world.ports.connections.find = async (id) => {
    const found = await find(id)
    return found && { ...found, status: 'not_linked', account: undefined }
  }
  return world
}

test('links the first account of a function that was created before it', async () => {
  const world = unlinked()

  const link = await world.run({ grant: grant() })

  expect(link.state).toBe('linked')
  expect(world.calls.made).toEqual(['refresh', 'replaceConnection', 'verifyFunction'])
  expect(world.changed.at(-1)?.event?.name).toBe('link.succeeded')
})

test('if the first account does not work, the function has no account again', async () => {
  const world = unlinked()
  const stored: unknown[] = []
  world.ports.platform.replaceConnection = async (_at, given) => void stored.push(given.client?.id)
  world.calls.instead.verifyFunction = fails('platform_refused')

  const link = await world.run({ grant: grant() })

  expect(link).toMatchObject({ state: 'failed', cause: 'relink_rolled_back' })
  expect(stored).toEqual([expect.any(String), undefined])
  expect(world.calls.made.at(-1)).toBe('revoke')
})

test('does not repeat a trial refresh whose response was lost if refresh tokens rotate', async () => {
  const world = relinking({ state: 'testing' }, { rotation: 'replaces' })

  const link = await world.run()

  expect(link).toMatchObject({ state: 'failed', cause: 'grant_unusable' })
  expect(world.calls.made).toEqual(['revoke'])
})

test('requests the expected account after the grant of another one is revoked', async () => {
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

describe('a recognized account with more scopes', () => {
  const scopes = [{ name: 'read' }]
  const optionalScopes = [{ name: 'calendar' }]
  const wider = () => {
    const world = provisioningInMemory({ link: { kind: 'relink' }, integration: { scopes, optionalScopes } })
    world.stored.connection = { ...world.stored.connection, scopes: ['read', 'calendar'] }
    return world
  }
  const narrow = () => ({ grant: grant({ scopes: ['read'] }) })

  test('is asked once more, for all of them', async () => {
    const world = wider()

    const link = await world.run(narrow())

    expect(link).toMatchObject({
      state: 'authorizing',
      forcedConsent: true,
      config: { added_scopes: 'calendar' },
    })
  })

  test('fails the link if the second consent lacks them too', async () => {
    const world = wider()

    const link = await world.run(narrow(), { ...world.now(), forcedConsent: true })

    expect(link).toMatchObject({ state: 'failed', cause: 'scope_missing', missingScopes: ['calendar'] })
  })

  test('does not miss a scope that the integration no longer allows', async () => {
    const world = wider()
    world.stored.connection = { ...world.stored.connection, scopes: ['read', 'drive'] }

    expect((await world.run(narrow())).state).toBe('linked')
  })
})

import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { checkHealth } from '../../../../src/onboarding/connections/flows/check-health.ts'
import { refreshAndWriteBack } from '../../../../src/onboarding/connections/flows/refresh-and-write-back.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import {
  type RefreshRefusal,
  RefreshRefused,
  refreshRefusals,
} from '../../../../src/onboarding/domain/health/refresh-refusal.ts'
import { sealContext } from '../../../../src/onboarding/domain/seal-context.ts'
import { breaks, isAway, refuses } from '../../../support/memory/doubles.ts'
import { byKey, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
beforeEach(async () => {
  world = await openMemoryWorld({ integration: { health: { by: 'refresh', everySeconds: 600 } } })
  connection = await world.addConnection()
})

const refresh = () => refreshAndWriteBack(world, world.settings, connection)
const isFree = () => world.connections.lockBriefly(connection.id, 'somebody else')
const storedRefresh = async () => {
  const grant = await world.storedGrants.find(connection.id, 'current')
  const at = { id: grant!.linkId, tenant: 'acme', workspace: 'acme' }
  return grant?.trialRefresh && world.seal.open(grant.trialRefresh, sealContext.trialRefresh(at)).reveal()
}

test('the newest token is kept first, then brought to the platform', async () => {
  let storedBefore: string | undefined
  const { replaceConnection } = world.platform
  world.platform.replaceConnection = async (...args) => {
    storedBefore = await storedRefresh()
    return replaceConnection(...args)
  }

  expect(await refresh()).toMatchObject({ finding: { outcome: 'healthy' }, isWriteBackDue: false })
  expect(storedBefore).toBe('refresh-2')
  expect(world.platform.calls).toEqual(['replaceConnection refresh-2'])
})

test('the connection is locked meanwhile, and free afterwards', async () => {
  let duringFree = true
  const { refresh: ask } = world.provider
  world.provider.refresh = async (request) => {
    duringFree = await isFree()
    return ask(request)
  }

  await refresh()

  expect([duringFree, await isFree()]).toEqual([false, true])
})

test('it is free also when the provider broke', async () => {
  world.provider.refresh = breaks

  await expect(refresh()).rejects.toThrow(TypeError)
  expect(await isFree()).toBe(true)
})

test('nothing is refreshed while somebody else is at the connection', async () => {
  await world.connections.lockBriefly(connection.id, 'a re-link')

  await expect(refresh()).rejects.toMatchObject({ cause: 'connection_busy' })
  expect(world.provider.calls).toEqual([])
})

test.each(['grant_revoked', 'client_rejected'] as const)(
  'a provider that says %s has broken the connection',
  async (cause) => {
    world.provider.refresh = refuses(cause)

    expect(await refresh()).toMatchObject({ finding: { outcome: 'broken', cause }, isWriteBackDue: false })
    expect(world.platform.calls).toEqual([])
  },
)

describe('O1: a refresh that is refused', () => {
  test.each(Object.entries(refreshRefusals))(
    '%s means the same as in the table, time after time',
    async (kind, meaning) => {
      const error = { cause: 'answer_malformed' as const, retry: undefined, detail: '400' }
      world.provider.refresh = async () => {
        throw new RefreshRefused(kind as RefreshRefusal, error)
      }
      const check = () => checkHealth(world, world.settings)({ connectionId: connection.id, actor: byKey, reason: '' })

      const found = [await check(), await check(), await check()]

      expect(found).toMatchObject([meaning.first, meaning.again, meaning.again])
      expect(found[0]?.detail).toBe('400')
    },
  )
})

test('O1: a token that was not replaced is not written to the platform again', async () => {
  world.provider.refresh = async () => ({ rotated: false })

  expect(await refresh()).toMatchObject({ finding: { outcome: 'healthy' } })
  expect(world.platform.calls).toEqual([])
})

test('a provider that is away says nothing about the grant', async () => {
  world.provider.refresh = isAway('provider_unavailable')

  await expect(refresh()).rejects.toMatchObject({ cause: 'provider_unavailable' })
})

test('a platform that is away has the newest token due, and gets it soon', async () => {
  world.platform.replaceConnection = isAway('platform_unavailable')

  await checkHealth(world, world.settings)({ connectionId: connection.id, actor: byKey, reason: '' })

  expect(await storedRefresh()).toBe('refresh-2')
  const { healthDueAt } = world.tables.connections.get(connection.id)!
  expect(healthDueAt!.getTime() - world.now().getTime()).toBe(20_000)
})

test('an answer without a refresh token does not take the place of one that has the newest', async () => {
  await refresh()
  world.provider.refreshToKeep = () => undefined
  world.provider.refresh = async ({ keep }) => {
    await keep(new Secret('access only'))
    return { rotated: false }
  }

  await refresh()

  expect(await storedRefresh()).toBe('refresh-2')
  expect(world.platform.calls.at(-1)).toBe('replaceConnection refresh-2')
})

test('whoever took the connection over meanwhile brings the platform a grant of its own', async () => {
  world.provider.refresh = async ({ keep }) => {
    await keep(new Secret('refresh-2'))
    world.clock.pass(120)
    await world.connections.lockBriefly(connection.id, 'somebody else')
    return { rotated: true }
  }

  expect(await refresh()).toMatchObject({ finding: { outcome: 'healthy' } })
  expect(world.platform.calls).toEqual([])
  expect(await world.connections.lockBriefly(connection.id, 'a third')).toBe(false)
})

test('a grant that was replaced before the lock was taken is nobody’s to refresh', async () => {
  await world.relink(connection)

  expect(await refresh()).toBeUndefined()
  expect(world.provider.calls).toEqual([])
})

test('where no grant is kept, or the platform takes none, there is nothing to refresh', async () => {
  const unkept = await world.addConnection({}, {}, { keepGrant: false })

  expect(await refreshAndWriteBack(world, world.settings, unkept)).toBeUndefined()
  expect(await refreshAndWriteBack(world, { connectionPut: false }, connection)).toBeUndefined()
  expect(world.provider.calls).toEqual([])
})

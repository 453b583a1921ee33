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

test('stores the new token before it is written to the platform', async () => {
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

test('locks the connection during the refresh', async () => {
  let duringFree = true
  const { refresh: ask } = world.provider
  world.provider.refresh = async (request) => {
    duringFree = await isFree()
    return ask(request)
  }

  await refresh()

  expect([duringFree, await isFree()]).toEqual([false, true])
})

test('unlocks the connection if the provider call throws', async () => {
  world.provider.refresh = breaks

  await expect(refresh()).rejects.toThrow(TypeError)
  expect(await isFree()).toBe(true)
})

test('does not refresh a locked connection', async () => {
  await world.connections.lockBriefly(connection.id, 'a re-link')

  await expect(refresh()).rejects.toMatchObject({ cause: 'connection_busy' })
  expect(world.provider.calls).toEqual([])
})

test.each(['grant_revoked', 'client_rejected'] as const)(
  'a refresh that fails with %s breaks the connection',
  async (cause) => {
    world.provider.refresh = refuses(cause)

    expect(await refresh()).toMatchObject({ finding: { outcome: 'broken', cause }, isWriteBackDue: false })
    expect(world.platform.calls).toEqual([])
  },
)

describe('O1: a rejected refresh', () => {
  test.each(Object.entries(refreshRefusals))('%s has the same tabled outcome each time', async (kind, meaning) => {
    const error = { cause: 'answer_malformed' as const, retry: undefined, detail: '400' }
    world.provider.refresh = async () => {
      throw new RefreshRefused(kind as RefreshRefusal, error)
    }
    const check = () => checkHealth(world, world.settings, { connectionId: connection.id, actor: byKey, reason: '' })

    const found = [await check(), await check(), await check()]

    const { outcome, cause } = meaning
    expect(found).toMatchObject([
      { outcome, cause },
      { outcome, cause },
      { outcome, cause },
    ])
    expect(found[0]?.detail).toBe('400')
  })
})

test('O1: an unchanged token is not written to the platform again', async () => {
  world.provider.refresh = async () => ({ rotated: false })

  expect(await refresh()).toMatchObject({ finding: { outcome: 'healthy' } })
  expect(world.platform.calls).toEqual([])
})

test('an unavailable provider says nothing about the grant', async () => {
  world.provider.refresh = isAway('provider_unavailable')

  await expect(refresh()).rejects.toMatchObject({ cause: 'provider_unavailable' })
})

test('retries the write to an unavailable platform soon', async () => {
  world.platform.replaceConnection = isAway('platform_unavailable')

  await checkHealth(world, world.settings, { connectionId: connection.id, actor: byKey, reason: '' })

  expect(await storedRefresh()).toBe('refresh-2')
  const { healthDueAt } = world.tables.connections.get(connection.id)!
  expect(healthDueAt!.getTime() - world.now().getTime()).toBe(20_000)
})

test('a response without a refresh token does not replace the stored one', async () => {
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

test('does not write to the platform after the lock was lost', async () => {
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

test('does not refresh a grant that was replaced before the lock', async () => {
  await world.relink(connection)

  expect(await refresh()).toBeUndefined()
  expect(world.provider.calls).toEqual([])
})

test('does not refresh if no grant is stored or secrets cannot be replaced', async () => {
  const unkept = await world.addConnection({}, {}, { keepGrant: false })

  expect(await refreshAndWriteBack(world, world.settings, unkept)).toBeUndefined()
  expect(await refreshAndWriteBack(world, { ...world.settings, connectionPut: false }, connection)).toBeUndefined()
  expect(world.provider.calls).toEqual([])
})

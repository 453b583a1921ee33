import { beforeEach, expect, test } from 'vitest'
import { renameConnection } from '../../../../../src/onboarding/connections/flows/by-tenant/rename-connection.ts'
import type { Connection } from '../../../../../src/onboarding/domain/connection.ts'
import { DependencyError } from '../../../../../src/onboarding/domain/dependency-error.ts'
import type { NamesChange } from '../../../../../src/onboarding/domain/linking/connection-names.ts'
import { byKey, type MemoryWorld, openMemoryWorld } from '../../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
let shown: Array<string | undefined>
beforeEach(async () => {
  world = await openMemoryWorld()
  connection = await world.addConnection()
  shown = []
  world.platform.nameFunction = async ({ alias }) => {
    shown.push(alias)
  }
})

const rename = (change: NamesChange, connectionId = connection.id) =>
  renameConnection(world, { connectionId, tenant: 'acme', actor: byKey, ...change })

test('stores the alias, shows it on the platform, and audits both values', async () => {
  const renamed = await rename({ alias: 'work', labels: { team: 'sales' } })

  expect(renamed).toMatchObject({ alias: 'work', labels: { team: 'sales' } })
  expect(shown).toEqual(['work'])
  expect(world.tables.audit.at(-1)?.entry).toMatchObject({
    action: 'connection.renamed',
    before: { alias: null, labels: [] },
    after: { alias: 'work', labels: ['team'] },
  })
})

test('labels alone do not touch the platform', async () => {
  await rename({ labels: { team: 'sales' } })

  expect(shown).toEqual([])
})

test('an unchanged alias is shown again, and not audited', async () => {
  await rename({ alias: 'work' })
  const before = world.tables.audit.length

  await rename({ alias: 'work' })

  expect(shown).toEqual(['work', 'work'])
  expect(world.tables.audit).toHaveLength(before)
})

test('while the platform is away, the alias is stored and the tenant is told to repeat the request', async () => {
  world.platform.nameFunction = () => Promise.reject(new DependencyError('platform_unavailable', { retry: {} }))

  await expect(rename({ alias: 'work' })).rejects.toMatchObject({ code: 'platform_unavailable' })
  expect((await world.found(connection.id)).alias).toBe('work')
})

test('the platform ends with the newest of two parallel aliases', async () => {
  let slow: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    slow = resolve
  })
  world.platform.nameFunction = async ({ alias }) => {
    if (alias === 'first') await released
    shown.push(alias)
  }

  const first = rename({ alias: 'first' })
  await rename({ alias: 'second' })
  slow()
  await first

  expect(shown.at(-1)).toBe('second')
  expect((await world.found(connection.id)).alias).toBe('second')
})

test('the alias of another connection of the user is a conflict that changes nothing', async () => {
  const other = await world.addConnection()
  await rename({ alias: 'work' }, other.id)

  await expect(rename({ alias: 'work', labels: { team: 'x' } })).rejects.toMatchObject({ code: 'alias_taken' })
  expect(await world.found(connection.id)).toMatchObject({ alias: undefined, labels: undefined })
})

test('another tenant cannot rename it', async () => {
  const asked = renameConnection(world, { connectionId: connection.id, tenant: 'other', actor: byKey, alias: 'work' })

  await expect(asked).rejects.toMatchObject({ code: 'not_found' })
})

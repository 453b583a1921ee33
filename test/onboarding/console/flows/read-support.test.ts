import { beforeEach, expect, test } from 'vitest'
import {
  readOverview,
  search,
  showConnection,
  showLink,
} from '../../../../src/onboarding/console/flows/read-support.ts'
import { ClientUnreadable } from '../../../../src/onboarding/domain/integration.ts'
import type { SupportLedger } from '../../../../src/onboarding/domain/ports/support-ledger.ts'
import { breaks } from '../../../support/memory/doubles.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'
import { auditLine, emptySupportLedger } from './support-ledger.ts'

let world: MemoryWorld & { support: SupportLedger }
beforeEach(async () => {
  world = { ...(await openMemoryWorld()), support: emptySupportLedger() }
})

test('many people who look at the overview count the days once', async () => {
  let counted = 0
  world.support.linksByDay = async () => {
    counted++
    return []
  }
  const overview = readOverview(world)

  const seen = await Promise.all([overview(), overview(), overview()])

  expect(counted).toBe(1)
  expect(seen[0]).toMatchObject({ days: 14, now: world.now() })
})

test('days that could not be counted are counted by the next who looks', async () => {
  const { linksByDay } = world.support
  world.support.linksByDay = breaks
  const overview = readOverview({
    ...world,
    support: { ...world.support, linksByDay: () => world.support.linksByDay(14) },
  })
  await expect(overview()).rejects.toThrow(TypeError)
  world.support.linksByDay = linksByDay

  expect((await overview()).linksByDay).toEqual([])
})

test('a search is no longer than a search can be', async () => {
  let asked = ''
  world.support.search = async (text) => {
    asked = text
    return { connections: [], links: [], tenants: [], record: [] }
  }

  await search(world)('x'.repeat(10_000))

  expect(asked).toHaveLength(200)
})

test('a connection is shown with its tenant, its integration and what was done with it', async () => {
  const connection = await world.addConnection()

  expect(await showConnection(world)(connection.id)).toMatchObject({
    connection: { id: connection.id },
    tenant: { id: 'acme' },
    integration: { id: 'files' },
    hasOlderChecks: false,
  })
  await expect(showConnection(world)('con_0')).rejects.toMatchObject({ code: 'not_found' })
})

test('one check more than is shown tells that there are older ones', async () => {
  const { id } = await world.addConnection()
  world.support.health = async (connectionId, limit) =>
    Array.from({ length: limit }, (_, each) => ({
      id: each,
      connectionId,
      at: world.now(),
      outcome: 'healthy' as const,
      cause: undefined,
      detail: undefined,
      durationMs: 1,
      actorKind: 'worker' as const,
    }))

  const shown = await showConnection(world)(id)

  expect(shown.hasOlderChecks).toBe(true)
  expect(shown.health).toHaveLength(10)
})

test('what people and servers did is told newest first, and neither pushes the other out', async () => {
  const { id } = await world.addConnection()
  const asked: Array<readonly string[] | undefined> = []
  world.support.audit = async ({ kinds, connection }) => {
    asked.push(kinds)
    const ids = kinds?.includes('api_key') ? [4, 2] : [3, 1]
    return { data: ids.map((each) => auditLine(each, { connection })), nextCursor: undefined }
  }

  const { audit } = await showConnection(world)(id)

  expect(audit.map((line) => line.id)).toEqual([4, 3, 2, 1])
  expect(asked.flat().toSorted()).toEqual(['api_key', 'operator', 'support'])
})

test('a way back is offered exactly where a rollback would be taken', async () => {
  const first = await world.addConnection()
  const without = (await showConnection(world)(first.id)).rollbackObstacle
  await world.relink(first)

  expect(without).toContain('no previous grant')
  expect((await showConnection(world)(first.id)).rollbackObstacle).toBeUndefined()
})

test('a page is shown also when the integration is gone or a key was lost', async () => {
  const { id } = await world.addConnection()
  const { ownClient } = world.tenants
  world.tenants.ownClient = async () => {
    throw new ClientUnreadable('a key is missing')
  }
  const keyLost = await showConnection(world)(id)
  world.tenants.ownClient = ownClient
  world.removeIntegration('files')
  const removed = await showConnection(world)(id)

  expect(keyLost.rollbackObstacle).toContain('encryption key is missing')
  expect(removed.rollbackObstacle).toContain('no longer configured')
  expect(removed.integration).toBeUndefined()
})

test('a store that breaks is not shown as a connection without a way back', async () => {
  const { id } = await world.addConnection()
  world.storedGrants.find = breaks

  await expect(showConnection(world)(id)).rejects.toThrow(TypeError)
})

test('a link that made no connection has a page of its own, with its history', async () => {
  const link = await world.move(await world.addLink(), 'denied', { cause: 'consent_denied' })
  world.support.timeline = async () => [auditLine(1), auditLine(2)]

  const shown = await showLink(world)(link.id)

  expect(shown).toMatchObject({ tenant: { id: 'acme' }, connection: undefined })
  expect(shown.timeline).toMatchObject({ link: { state: 'denied' }, entries: [{ id: 1 }, { id: 2 }] })
  await expect(showLink(world)('lnk_0')).rejects.toMatchObject({ code: 'not_found' })
})

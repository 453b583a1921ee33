import { beforeEach, expect, test } from 'vitest'
import { search, showConnection, showLink } from '../../../../src/onboarding/console/flows/read-support.ts'
import { ClientUnreadable } from '../../../../src/onboarding/domain/integration.ts'
import type { SupportLedger } from '../../../../src/onboarding/domain/ports/support-ledger.ts'
import { reactivateTenant, suspendTenant } from '../../../../src/onboarding/tenants/flows/manage-tenants.ts'
import { breaks } from '../../../support/memory/doubles.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'
import { auditLine, emptySupportLedger } from './support-ledger.ts'

let world: MemoryWorld & { support: SupportLedger }
beforeEach(async () => {
  world = { ...(await openMemoryWorld()), support: emptySupportLedger() }
})

test('a search text is truncated', async () => {
  let asked = ''
  world.support.search = async (text) => {
    asked = text
    return { people: [], connections: [], links: [], tenants: [], record: [] }
  }

  await search(world, 'x'.repeat(10_000))

  expect(asked).toHaveLength(200)
})

test('shows a connection with its tenant, integration and tasks', async () => {
  const connection = await world.addConnection()

  expect(await showConnection(world, connection.id)).toMatchObject({
    connection: { id: connection.id },
    tenant: { id: 'acme' },
    integration: { id: 'files' },
    hasOlderChecks: false,
  })
  await expect(showConnection(world, 'con_0')).rejects.toMatchObject({ code: 'not_found' })
})

test('shows that there are older checks', async () => {
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

  const shown = await showConnection(world, id)

  expect(shown.hasOlderChecks).toBe(true)
  expect(shown.health).toHaveLength(10)
})

test('actions of people and servers are listed newest first, and neither hides the other', async () => {
  const { id } = await world.addConnection()
  const asked: Array<readonly string[] | undefined> = []
  world.support.audit = async ({ kinds, connection }) => {
    asked.push(kinds)
    const ids = kinds?.includes('api_key') ? [4, 2] : kinds?.includes('support') ? [3, 1] : []
    return { data: ids.map((each) => auditLine(each, { connection })), nextCursor: undefined }
  }

  const { audit } = await showConnection(world, id)

  expect(audit.map((line) => line.id)).toEqual([4, 3, 2, 1])
  expect(asked.flat().toSorted()).toEqual(['api_key', 'browser', 'operator', 'support', 'worker'])
})

test('a rollback is offered only if it would be accepted', async () => {
  const first = await world.addConnection()
  const without = (await showConnection(world, first.id)).rollbackObstacle
  await world.relink(first)

  expect(without).toContain('no previous access')
  expect((await showConnection(world, first.id)).rollbackObstacle).toBeUndefined()
})

test('the page renders without the integration or a lost key', async () => {
  const { id } = await world.addConnection()
  const { ownClient } = world.tenants
  world.tenants.ownClient = async () => {
    throw new ClientUnreadable('a key is missing')
  }
  const keyLost = await showConnection(world, id)
  world.tenants.ownClient = ownClient
  world.removeIntegration('files')
  const removed = await showConnection(world, id)

  expect(keyLost.rollbackObstacle).toContain('encryption key is missing')
  expect(removed.rollbackObstacle).toContain('no longer configured')
  expect(removed.integration).toBeUndefined()
})

test('a reconnect link is offered only if it would work', async () => {
  const { id, tenant } = await world.addConnection()
  const possible = (await showConnection(world, id)).relinkObstacle
  const by = {
    caller: { keyId: 'key', tenant: undefined },
    id: tenant,
    actor: { kind: 'support' as const, id: 'agent' },
  }
  await suspendTenant(world, by)
  const suspended = (await showConnection(world, id)).relinkObstacle
  await reactivateTenant(world, by)
  world.removeIntegration('files')

  expect(possible).toBeUndefined()
  expect(suspended).toBe('tenant_inactive')
  expect((await showConnection(world, id)).relinkObstacle).toBe('client_missing')
})

test('a store error is not shown as a missing rollback', async () => {
  const { id } = await world.addConnection()
  world.storedGrants.find = breaks

  await expect(showConnection(world, id)).rejects.toThrow(TypeError)
})

test('a link without a connection has its own page with its history', async () => {
  const link = await world.move(await world.addLink(), 'denied', { cause: 'consent_denied' })
  world.support.timeline = async () => [auditLine(1), auditLine(2)]

  const shown = await showLink(world, link.id)

  expect(shown).toMatchObject({ tenant: { id: 'acme' }, connection: undefined })
  expect(shown.timeline).toMatchObject({ link: { state: 'denied' }, entries: [{ id: 1 }, { id: 2 }] })
  await expect(showLink(world, 'lnk_0')).rejects.toMatchObject({ code: 'not_found' })
})

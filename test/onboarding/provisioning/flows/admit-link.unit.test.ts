import { beforeEach, describe, expect, test } from 'vitest'
import type { IfConnected } from '../../../../src/onboarding/domain/end-users/if-connected.ts'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import { provisionLink } from '../../../../src/onboarding/provisioning/flows/provision-link.ts'
import { resumeLink } from '../../../../src/onboarding/provisioning/flows/stalled-links/resume-link.ts'
import { grantOf, refuses } from '../../../support/memory/doubles.ts'
import { bySupport, client, type MemoryWorld, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const user = { tenant: 'acme', integration: 'files', endUserId: 'user-1' }
const escrowed = async (ifConnected: IfConnected): Promise<Link> =>
  world.escrow(await world.addLink({ ifConnected }), 'second grant')
const run = (link: Link, grant = grantOf()) =>
  provisionLink(world, world.settings, {
    link,
    ready: { integration: world.integrations.find('files')!, client },
    found: { grant },
  })
/** Resumes the link as the sweep does. */
const sweep = async (link: Link): Promise<Link> => {
  world.clock.pass(60)
  const due = await world.links.claimDue({ limit: 10, perTenant: 10 })
  const taken = due.find(({ id }) => id === link.id) as Link
  return provisionLink(world, world.settings, {
    link: taken,
    ready: { integration: world.integrations.find('files')!, client },
  })
}
const count = async () => (await world.connections.inUse(user, undefined)).count

describe('the same account again', () => {
  test('adds a connection with add', async () => {
    await world.addConnection()

    expect((await run(await escrowed('add'))).state).toBe('linked')
    expect(await count()).toBe(2)
  })

  test('re-links the existing connection with relink and revokes the previous grant', async () => {
    const connection = await world.addConnection()

    const link = await run(await escrowed('relink'))

    expect(link).toMatchObject({ state: 'linked', kind: 'relink', connectionId: connection.id })
    expect(await world.found(connection.id)).toMatchObject({ grantVersion: 1, functionName: connection.functionName })
    expect(await count()).toBe(1)
    expect(world.provider.calls).toContain('revoke first grant')
    expect(world.platform.calls.filter((call) => call.startsWith('create'))).toEqual([])
    expect(world.events().at(-1)).toBe('connection.relinked')
  })

  test('uses a second name with relink if secrets cannot be replaced', async () => {
    const connection = await world.addConnection()
    world.settings.connectionPut = false
    const link = await escrowed('relink')

    await run(link)

    expect(await world.found(connection.id)).toMatchObject({ name: link.connectionName, grantVersion: 1 })
    expect(world.platform.calls).toContain(`deleteConnection ${connection.name}`)
  })

  test('fails with refuse and revokes the new grant', async () => {
    const connection = await world.addConnection()

    const link = await run(await escrowed('refuse'))

    expect(link).toMatchObject({ state: 'failed', cause: 'already_connected' })
    expect(world.provider.calls).toContain('revoke second grant')
    expect(await world.found(connection.id)).toMatchObject({ status: 'active', grantVersion: 0 })
    expect(world.platform.calls).toEqual([])
  })

  test('keeps the new grant if revoking it would end the one in use', async () => {
    world = await openMemoryWorld({ integration: { revocation: { reach: 'grant' } } })
    await world.addConnection()

    const link = await run(await escrowed('refuse'))

    expect(link.state).toBe('failed')
    expect(world.provider.calls).toEqual([])
  })

  test.each(['add', 'relink', 'refuse'] as const)('of another user adds a connection with %s', async (mode) => {
    await world.addConnection({ endUser: { id: 'user-2' } })

    expect((await run(await escrowed(mode))).state).toBe('linked')
    expect(await count()).toBe(1)
  })

  test('is added if the app does not identify accounts', async () => {
    await world.addConnection()

    expect((await run(await escrowed('refuse'), grantOf({ account: undefined }))).state).toBe('linked')
    expect(await count()).toBe(2)
  })
})

describe('two concurrent links of one user', () => {
  test('the second waits for the first and finds its connection', async () => {
    const [first, second] = [await escrowed('relink'), await escrowed('relink')]
    await world.links.lockUser(first)

    const waits = await run(second)
    await run(first)
    const ended = await sweep(second)

    expect(waits).toMatchObject({ state: 'escrowed', cause: 'connection_busy', nextAttemptAt: expect.any(Date) })
    expect(ended).toMatchObject({ state: 'linked', kind: 'relink', connectionId: first.connectionId })
    expect(await count()).toBe(1)
  })

  test('a connection that was created after its link became a re-link is removed', async () => {
    const link = await escrowed('relink')
    const { createConnection } = world.platform
    let ended: Link | undefined
    world.platform.createConnection = async (...args) => {
      world.platform.createConnection = createConnection
      await world.addConnection()
      ended = await sweep(link)
      world.platform.calls.length = 0
      return createConnection(...args)
    }

    await run(link)

    expect(ended).toMatchObject({ state: 'linked', kind: 'relink' })
    expect(world.platform.calls).toContain(`deleteConnection ${link.connectionName}`)
  })

  test('the second becomes a first link if the first fails', async () => {
    const [first, second] = [await escrowed('refuse'), await escrowed('refuse')]
    await world.links.lockUser(first)
    await run(second)
    await run(first, grantOf({ scopes: [] }))

    expect(await sweep(second)).toMatchObject({ state: 'linked', kind: 'first' })
  })

  test('a parked link that is resumed finds the other’s connection and ends', async () => {
    const { createFunction } = world.platform
    world.platform.createFunction = refuses('platform_refused')
    const parked = await run(await escrowed('relink'))
    world.platform.createFunction = createFunction
    await run(await escrowed('relink'))
    world.platform.calls.length = 0

    const { done } = await resumeLink(world, world.settings, {
      caller: operator,
      actor: bySupport,
      id: parked.id,
      reason: 'mended',
    })

    expect(parked).toMatchObject({ state: 'needs_attention', resumeFrom: 'connection_ready' })
    expect(await done).toMatchObject({ state: 'failed', cause: 'already_connected' })
    expect(world.platform.calls).toEqual(['deleteFunction', `deleteConnection ${parked.connectionName}`])
    expect(await count()).toBe(1)
  })

  test('a link whose connection was just disconnected creates its own', async () => {
    const connection = await world.addConnection()
    const link = await escrowed('relink')
    const { find } = world.connections
    world.connections.find = async (id) => ({ ...(await find(id))!, status: 'disconnected' })

    const waits = await run(link)

    expect(waits).toMatchObject({ state: 'escrowed', kind: 'first', cause: 'connection_busy' })
    expect(waits.connectionId).not.toBe(connection.id)
  })
})

describe('a connection limit', () => {
  test('ends a link above the limit and revokes its grant', async () => {
    await world.addTenant('acme', { maxConnectionsPerUser: 1 })
    await world.addConnection()

    const link = await run(await escrowed('add'), grantOf({ account: { id: 'account-2', label: 'second' } }))

    expect(link).toMatchObject({ state: 'failed', cause: 'connection_limit' })
    expect(world.provider.calls).toContain('revoke second grant')
  })

  test('allows links below the limit', async () => {
    await world.addTenant('acme', { maxConnectionsPerUser: 2 })
    await world.addConnection()

    expect((await run(await escrowed('add'))).state).toBe('linked')
  })
})

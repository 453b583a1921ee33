import { beforeEach, describe, expect, test } from 'vitest'
import { checkHealth } from '../../../../src/onboarding/connections/flows/check-health.ts'
import { heedGrantProblems } from '../../../../src/onboarding/connections/flows/heed-grant-problems.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import type { GrantProblem } from '../../../../src/onboarding/domain/ports/connections.ts'
import { discoverServer } from '../../../../src/onboarding/provisioning/flows/discover-server.ts'
import { breaks, isAway, refuses } from '../../../support/memory/doubles.ts'
import { notesIssuer } from '../../../support/memory/mcp-servers.ts'
import { byKey, type MemoryWorld, notes, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
let heed: () => Promise<number>
beforeEach(async () => {
  world = await openMemoryWorld({ others: [notes] })
  connection = await world.addConnection({ integration: 'notes' })
  heed = heedGrantProblems(world, world.settings)
})

const note = (more: Partial<GrantProblem> = {}) => {
  const { workspace, name: connectionName } = connection
  const problem = { at: world.now(), workspace, connectionName, cause: 'grant_revoked' as const, scope: undefined }
  world.grantProblems.noted.push({ ...problem, ...more })
}
const lacksScope = { cause: 'scope_insufficient', scope: 'notes:write' } as const
const found = () => world.found(connection.id)
const check = () => checkHealth(world, world.settings, { connectionId: connection.id, actor: byKey, reason: 'ticket' })
const checks = () => world.tables.healthChecks.map(({ outcome, cause }) => [outcome, cause])

test('a grant that an agent found revoked needs a re-link immediately', async () => {
  note()

  expect(await heed()).toBe(1)

  expect(await found()).toMatchObject({ status: 'needs_relink', cause: 'grant_revoked' })
  expect(world.events()).toEqual(['connection.needs_relink'])
})

test('a grant that a later check finds valid is active again', async () => {
  note()
  await heed()

  await check()

  expect(await found()).toMatchObject({ status: 'active', cause: undefined })
})

test('a connection that needs a re-link for another reason keeps that reason', async () => {
  world.platform.verifyFunction = refuses('client_rejected')
  await check()
  const before = await found()
  note()

  await heed()

  expect(await found()).toMatchObject({ status: 'needs_relink', cause: before.cause })
})

test('handles each problem once, and a new one again', async () => {
  note(lacksScope)
  await heed()
  const again = await heed()
  world.clock.pass(1)
  note(lacksScope)

  expect([again, await heed()]).toEqual([0, 1])
  expect(checks()).toHaveLength(2)
})

describe('a call for which the app rejected our client', () => {
  const rejected = { cause: 'client_rejected' } as const

  test('needs attention immediately', async () => {
    note(rejected)

    await heed()

    expect(await found()).toMatchObject({ status: 'needs_relink', cause: 'client_rejected' })
    expect(world.events()).toEqual(['connection.needs_relink'])
  })

  test('needs a re-link if the client was registered dynamically, and the re-link registers another one', async () => {
    const discovering = { integration: world.integrations.find('notes')!, tenant: 'acme', config: {}, actor: byKey }
    const discover = () => discoverServer(world, world.settings, discovering)
    connection = await world.addConnection({ integration: 'notes' }, { config: await discover() })
    await world.registeredClients.markWorking({ issuer: notesIssuer, clientId: 'registered-1' })
    note(rejected)

    await heed()

    expect(await found()).toMatchObject({ status: 'needs_relink', cause: 'client_forgotten' })
    expect((await discover()).client_id).toBe('registered-2')
  })

  test('does not break a connection that has recovered since', async () => {
    note(rejected)
    await heed()
    world.clock.pass(60)
    await check()

    await heedGrantProblems(world, world.settings)()

    expect(await found()).toMatchObject({ status: 'active' })
  })
})

describe('a call that the grant does not cover', () => {
  test('needs a re-link that requests the missing scope', async () => {
    note(lacksScope)

    await heed()

    expect(await found()).toMatchObject({ status: 'needs_relink', cause: 'scope_insufficient' })
    expect((await found()).config.scope).toBe('notes:write')
    expect(world.events()).toEqual(['connection.needs_relink'])
    expect(world.actions()).toContain('connection.needs_relink')
  })

  test('is not cleared by a successful tool list', async () => {
    note(lacksScope)
    await heed()

    await check()

    expect(await found()).toMatchObject({ status: 'needs_relink', cause: 'scope_insufficient' })
    expect(world.events()).toEqual(['connection.needs_relink'])
  })

  test('is cleared once the platform no longer reports the call', async () => {
    note(lacksScope)
    await heed()
    world.grantProblems.noted = []

    await check()

    expect(await found()).toMatchObject({ status: 'active', cause: undefined })
  })

  test('stays unclear if the platform is unavailable', async () => {
    note(lacksScope)
    await heed()
    world.grantProblems.of = isAway('platform_unavailable')

    expect(await check()).toMatchObject({ outcome: 'unclear', cause: 'platform_unavailable' })
    expect(await found()).toMatchObject({ status: 'needs_relink', cause: 'scope_insufficient' })
  })

  test('is ignored if the grant was replaced before the check', async () => {
    note(lacksScope)
    const { named } = world.connections
    world.connections.named = async (...name) => {
      await world.relink(connection)
      world.grantProblems.noted = []
      return named(...name)
    }

    await heed()

    expect(await found()).toMatchObject({ status: 'active' })
  })

  test('is ignored if the grant was replaced before the check was recorded', async () => {
    note(lacksScope)
    const { record } = world.healthChecks
    world.healthChecks.record = async (draft) => {
      await world.relink(connection)
      return record(draft)
    }

    await heed()

    expect(await found()).toMatchObject({ status: 'active' })
  })
})

test('ignores problems of other connections and those older than a day', async () => {
  note({ connectionName: 'not-ours' })
  note({ workspace: 'not-ours' })
  note({ at: new Date(world.now().getTime() - 25 * 3_600_000) })

  await heed()

  expect(checks()).toEqual([])
})

test('retries an unavailable platform and handles what it noted before', async () => {
  const { since } = world.grantProblems
  world.grantProblems.since = isAway('platform_unavailable')
  note(lacksScope)
  const away = await heed()
  world.grantProblems.since = since

  expect([away, await heed()]).toEqual([0, 1])
  expect((await found()).status).toBe('needs_relink')
})

test('retries a problem that could not be recorded', async () => {
  const { record } = world.healthChecks
  world.healthChecks.record = breaks
  note(lacksScope)
  await expect(heed()).rejects.toThrow(TypeError)
  world.healthChecks.record = record

  expect(await heed()).toBe(1)
  expect((await found()).status).toBe('needs_relink')
})

test('handles many grants that are revoked at once', async () => {
  const others = await Promise.all(Array.from({ length: 25 }, () => world.addConnection({ integration: 'notes' })))
  for (const other of others) note({ ...lacksScope, workspace: other.workspace, connectionName: other.name })

  expect(await heed()).toBe(25)

  const statuses = await Promise.all(others.map(async ({ id }) => (await world.found(id)).status))
  expect(new Set(statuses)).toEqual(new Set(['needs_relink']))
})

describe('an optional scope of an integration', () => {
  beforeEach(async () => {
    world = await openMemoryWorld({
      integration: { scopes: [{ name: 'files.read' }], optionalScopes: [{ name: 'calendar.read' }] },
    })
    heed = heedGrantProblems(world, world.settings)
  })
  const lacksCalendar = { cause: 'scope_insufficient', scope: 'calendar.read' } as const

  test('that a call lacked is remembered, and the connection works as before', async () => {
    connection = await world.addConnection()
    note(lacksCalendar)
    await heed()
    note({ ...lacksCalendar, at: new Date(world.now().getTime() + 1_000) })
    await heed()

    expect(await found()).toMatchObject({ status: 'active', config: { added_scopes: 'calendar.read' } })
    expect(world.events()).toEqual([])
  })

  test('is not remembered if the tenant chose the scopes of the connection', async () => {
    connection = await world.addConnection({}, { config: { requested_scopes: 'files.read' } })
    note(lacksCalendar)

    await heed()

    expect(await found()).toMatchObject({ status: 'active', config: { requested_scopes: 'files.read' } })
    expect((await found()).config).not.toHaveProperty('added_scopes')
  })

  test('a requested scope that a call lacked still breaks the connection', async () => {
    connection = await world.addConnection({}, { grantedScopes: [] })
    note({ cause: 'scope_insufficient', scope: 'files.read' })

    await heed()

    expect(await found()).toMatchObject({ status: 'needs_relink', cause: 'scope_insufficient' })
  })
})

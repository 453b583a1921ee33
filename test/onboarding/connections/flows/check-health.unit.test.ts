import { beforeEach, describe, expect, test } from 'vitest'
import {
  checkDueConnections,
  checkHealth,
  readHealth,
} from '../../../../src/onboarding/connections/flows/check-health.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import type { BrokenGrantCause } from '../../../../src/onboarding/domain/health/health.ts'
import { discoverServer } from '../../../../src/onboarding/provisioning/flows/discover-server.ts'
import { breaks, isAway, refuses } from '../../../support/memory/doubles.ts'
import { byKey, type MemoryWorld, notes, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
beforeEach(async () => {
  world = await openMemoryWorld({ integration: { health: { by: 'function', tool: 'list_files', everySeconds: 600 } } })
  connection = await world.addConnection({}, {}, { checkInSeconds: 600 })
})

const check = (more = {}) =>
  checkHealth(world, world.settings, { connectionId: connection.id, actor: byKey, reason: 'ticket', ...more })
const checkDue = () => checkDueConnections(world, world.settings)
const found = () => world.found(connection.id)
const fails = (cause: BrokenGrantCause) => async () => ({ failed: true as const, cause })
const dueIn = () => {
  const { healthDueAt } = world.tables.connections.get(connection.id)!
  return (healthDueAt!.getTime() - world.now().getTime()) / 1_000
}

test('a working tool means a healthy connection, and the check is audited', async () => {
  expect(await check()).toMatchObject({ outcome: 'healthy', actorKind: 'api_key' })
  expect(world.actions()).toContain('connection.checked')
  expect(world.platform.calls).toContain('tryTool')
})

test.each(['grant_revoked', 'client_rejected'] as const)(
  'a tool that fails with %s breaks the connection',
  async (cause) => {
    world.platform.tryTool = fails(cause)

    expect(await check()).toMatchObject({ outcome: 'broken', cause })
    expect(await found()).toMatchObject({ status: 'needs_relink', cause })
    expect(world.events()).toEqual(['connection.needs_relink'])
  },
)

test('remembers the optional scopes a call requires, so that the re-link requests them', async () => {
  world = await openMemoryWorld({
    integration: { health: { tool: 'list_files' }, optionalScopes: [{ name: 'notes:write' }, { name: 'notes:read' }] },
  })
  connection = await world.addConnection()
  const asks = (scope: string) => async () => ({ failed: true as const, cause: 'scope_insufficient' as const, scope })
  world.platform.tryTool = asks('notes:write')
  const checked = await check()
  const once = (await found())?.config.added_scopes
  world.platform.tryTool = asks('notes:read notes:write "nonsense"')
  await check()
  world.platform.tryTool = asks(Array.from({ length: 300 }, (_, nth) => `scope-${nth}`).join(' '))
  await check()

  expect(checked).toMatchObject({ outcome: 'broken', cause: 'scope_insufficient' })
  expect([once, (await found())?.config.added_scopes]).toEqual(['notes:write', 'notes:write notes:read'])
})

describe('R9: a connection with an unknown account', () => {
  const nameless = async (integration: Parameters<typeof openMemoryWorld>[0]) => {
    world = await openMemoryWorld(integration)
    connection = await world.addConnection({}, { account: undefined })
  }
  const accountSource = { from: 'userinfo', id: 'sub', label: 'email' } as const

  test('is pinned by the first check that may refresh, and not refreshed again for it', async () => {
    await nameless({
      integration: { health: { by: 'function', tool: 'list_files' }, rotation: 'none', account: accountSource },
    })

    expect(await check()).toMatchObject({ outcome: 'healthy' })
    expect((await found())?.account).toEqual({ id: 'account-1', label: 'user@files.example' })
    expect(world.actions()).toContain('connection.account_learned')
    const asked = world.provider.calls.length
    await check()
    expect(world.provider.calls).toHaveLength(asked)
  })

  test('is pinned by a refresh that checks its health', async () => {
    await nameless({ integration: { health: { by: 'refresh' }, rotation: 'replaces', account: accountSource } })

    await check()

    expect((await found())?.account?.id).toBe('account-1')
  })

  test.each([
    ['whose provider rotates refresh tokens', { rotation: 'replaces', account: accountSource }],
    ['whose provider does not report it', { rotation: 'none', account: { from: 'none' } }],
  ] as const)('is not refreshed for an account %s', async (_what, integration) => {
    await nameless({ integration: { health: { by: 'function', tool: 'list_files' }, ...integration } })

    await check()

    expect(world.provider.calls).toEqual([])
    expect((await found())?.account).toBeUndefined()
  })

  test('takes its health from its function, whatever the provider responds', async () => {
    await nameless({
      integration: { health: { by: 'function', tool: 'list_files' }, rotation: 'none', account: accountSource },
    })
    world.provider.describeRefresh = refuses('identity_invalid')

    expect(await check()).toMatchObject({ outcome: 'healthy' })
    expect((await found())?.account).toBeUndefined()
  })
})

describe('a function that forwards to an MCP server', () => {
  beforeEach(async () => {
    world = await openMemoryWorld({ others: [notes] })
    const integration = world.integrations.find('notes')!
    const asked = { integration, tenant: 'acme', config: {}, actor: byKey }
    const config = await discoverServer(world, world.settings, asked)
    connection = await world.addConnection({ integration: 'notes' }, { config })
  })

  test('is healthy if it lists its tools, because that uses the grant', async () => {
    expect(await check()).toMatchObject({ outcome: 'healthy' })
  })

  test('is broken if the server rejects the grant', async () => {
    world.platform.verifyFunction = refuses('grant_revoked')

    expect(await check()).toMatchObject({ outcome: 'broken', cause: 'grant_revoked' })
  })

  test('needs a re-link, not an operator, if the server has forgotten the client', async () => {
    world.platform.verifyFunction = refuses('client_rejected')

    expect(await check()).toMatchObject({ outcome: 'broken', cause: 'client_forgotten' })
    expect(world.actions()).toContain('oauth_client.forgotten')
  })

  test('is not broken by an unavailable server', async () => {
    world.platform.verifyFunction = isAway('provider_unavailable')

    expect(await check()).toMatchObject({ outcome: 'unclear', cause: 'provider_unavailable' })
  })
})

test('S2: a check that crashes workers is skipped, and retried the next day', async () => {
  world.clock.pass(601)
  for (let lost = 0; lost < 4; lost++) {
    await world.healthChecks.claimDue(10)
    world.clock.pass(61)
  }

  await checkDue()

  const [last] = await world.healthChecks.history(connection.id)
  expect(last).toMatchObject({ outcome: 'unclear', cause: 'worker_crashed' })
  expect(world.platform.calls).not.toContain('tryTool')
  expect(dueIn()).toBe(24 * 60 * 60)
  world.clock.pass(24 * 60 * 60)
  await checkDue()
  expect((await world.healthChecks.history(connection.id))[0]).toMatchObject({ outcome: 'healthy' })
})

test.each([
  [undefined, 'provider_unavailable'],
  ['check_held_back', 'check_held_back'],
] as const)('a tool error says nothing about the grant: %s', async (reported, cause) => {
  world.platform.tryTool = async () => ({ failed: true, cause: undefined, unclear: reported })

  expect(await check()).toMatchObject({ outcome: 'unclear', cause })
  expect(await found()).toMatchObject({ status: 'active' })
  expect(world.events()).toEqual([])
})

test('an unavailable platform says nothing about the grant', async () => {
  world.platform.tryTool = isAway('platform_unavailable')

  expect(await check()).toMatchObject({ outcome: 'unclear', cause: 'platform_unavailable' })
  expect((await found()).status).toBe('active')
})

test('an unexpected error is not a finding', async () => {
  world.platform.tryTool = breaks

  await expect(check()).rejects.toThrow(TypeError)
  expect(world.tables.healthChecks).toEqual([])
})

test('a connection that recovers becomes active without a re-link', async () => {
  const { tryTool } = world.platform
  world.platform.tryTool = fails('grant_revoked')
  await check()
  world.platform.tryTool = tryTool

  await check()

  expect(await found()).toMatchObject({ status: 'active', cause: undefined })
  expect(world.actions()).toContain('connection.recovered')
})

test('O1: without a health tool the grant is untested, even if the function responds', async () => {
  world = await openMemoryWorld()
  connection = await world.addConnection()

  expect(await check()).toMatchObject({ outcome: 'untested', cause: undefined })
  expect(world.platform.calls).toEqual(['verifyFunction'])
  expect(await found()).toMatchObject({ unclearChecks: 0, healthUnknownSince: undefined })
})

describe('O1: a platform with an unexplained refresh failure', () => {
  beforeEach(() => {
    world.platform.tryTool = async () => ({ failed: true, cause: undefined, unexplained: true })
  })

  test('is checked again soon, and the second failure breaks the connection', async () => {
    const first = await check()
    const soon = dueIn()
    world.clock.pass(300)
    const second = await check()

    expect(first).toMatchObject({ outcome: 'unclear', cause: 'refresh_refused' })
    expect(soon).toBe(300)
    expect(second).toMatchObject({ outcome: 'broken', cause: 'grant_revoked' })
    expect(await found()).toMatchObject({ status: 'needs_relink', cause: 'grant_revoked' })
    expect(world.events()).toEqual(['connection.needs_relink'])
  })

  test('starts counting again after a healthy check', async () => {
    const refused = world.platform.tryTool
    await check()
    world.platform.tryTool = async () => ({ failed: false })
    await check()
    world.platform.tryTool = refused

    expect(await check()).toMatchObject({ outcome: 'unclear' })
  })

  test('keeps counting across an outage', async () => {
    const refused = world.platform.tryTool
    await check()
    world.platform.tryTool = isAway('platform_unavailable')
    await check()
    world.platform.tryTool = refused
    world.clock.pass(300)

    expect(await check()).toMatchObject({ outcome: 'broken' })
  })

  test('O40: two checks within seconds count as one', async () => {
    await check()
    world.clock.pass(6)

    expect(await check()).toMatchObject({ outcome: 'unclear', cause: 'refresh_refused' })
  })

  test('starts counting again after a re-link', async () => {
    await check()
    world.clock.pass(300)
    await world.relink(connection)

    expect(await check()).toMatchObject({ outcome: 'unclear' })
  })
})

describe('O1: a connection with unclear checks', () => {
  beforeEach(() => {
    world.platform.tryTool = isAway('platform_unavailable')
  })

  const afterHours = async (hours: number) => {
    world.clock.pass(hours * 3_600)
    await check()
  }

  test('is reported once after three checks over an hour', async () => {
    await check()
    await afterHours(1)
    const before = world.events()
    await afterHours(1)
    await afterHours(48)

    expect(before).toEqual([])
    expect(world.events()).toEqual(['connection.health_unknown'])
    expect(world.actions().filter((action) => action === 'connection.health_unknown')).toHaveLength(1)
    expect(await found()).toMatchObject({ status: 'active', healthUnknownSince: expect.any(Date) })
  })

  test('is reported after a day', async () => {
    await check()
    await afterHours(24)

    expect(world.events()).toEqual(['connection.health_unknown'])
  })

  test('is reported if its checks were skipped', async () => {
    await check()
    world.clock.pass(24 * 3_600)
    for (let lost = 0; lost < 4; lost++) {
      await world.healthChecks.claimDue(10)
      world.clock.pass(61)
    }

    await checkDue()

    expect(world.events()).toEqual(['connection.health_unknown'])
  })

  test('is reported again after a clear check in between', async () => {
    await check()
    await afterHours(24)
    world.platform.tryTool = async () => ({ failed: false })
    await check()
    const known = await found()
    world.platform.tryTool = isAway('platform_unavailable')
    await check()
    await afterHours(24)

    expect(known).toMatchObject({ healthUnknownSince: undefined, unclearSince: undefined, unclearChecks: 0 })
    expect(world.events()).toEqual(['connection.health_unknown', 'connection.health_unknown'])
  })

  test('is not reported if it is known to be broken', async () => {
    world.platform.tryTool = fails('grant_revoked')
    await check()
    world.platform.tryTool = isAway('platform_unavailable')
    await check()
    await afterHours(24)

    expect(world.events()).toEqual(['connection.needs_relink'])
  })
})

test('a removed integration says nothing about the grant', async () => {
  world.removeIntegration('files')

  expect(await check()).toMatchObject({ outcome: 'unclear', cause: 'integration_removed' })
  expect((await found()).status).toBe('active')
})

test('records the duration of a check', async () => {
  world.platform.tryTool = async () => {
    world.clock.pass(2)
    return { failed: false }
  }

  expect((await check()).durationMs).toBe(2_000)
})

test('ignores the result for a grant that was replaced during the check', async () => {
  world.platform.tryTool = async () => {
    await world.relink(connection)
    return { failed: true, cause: 'grant_revoked' }
  }

  await check()

  expect((await found()).status).toBe('active')
})

test("rejects checks of another tenant's connection and of a disconnected one", async () => {
  await expect(check({ tenant: 'other' })).rejects.toMatchObject({ code: 'not_found' })
  world.connections.find = async () => ({ ...connection, status: 'disconnected' })
  await expect(check()).rejects.toMatchObject({ code: 'connection_disconnected' })
})

test('checks connections when they are due, at the interval of their integration', async () => {
  const early = await checkDue()
  world.clock.pass(601)

  expect([early, await checkDue(), await checkDue()]).toEqual([0, 1, 0])
  expect(dueIn()).toBe(600)
})

test('jitter spreads the checks of connections', async () => {
  const paces: number[] = []
  for (const chance of [0, 0.999]) {
    world.chance = () => chance
    await check()
    paces.push(dueIn())
  }

  expect(paces[0]).toBeCloseTo(540)
  expect(paces[1]).toBeGreaterThan(650)
})

test('a check that throws does not stop the others', async () => {
  const other = await world.addConnection({}, {}, { checkInSeconds: 600 })
  world.clock.pass(601)
  const { tryTool } = world.platform
  world.platform.tryTool = (at, tool) => (at.functionUrl === connection.functionUrl ? breaks() : tryTool(at, tool))

  await expect(checkDue()).rejects.toThrow(TypeError)

  expect(await world.healthChecks.history(other.id)).toHaveLength(1)
  world.platform.tryTool = tryTool
  world.clock.pass(61)
  expect(await checkDue()).toBe(1)
})

test('a tenant reads the checks of its own connection, newest first', async () => {
  await check()
  world.platform.tryTool = isAway('platform_unavailable')
  await check()

  const { checks } = await readHealth(world, { connectionId: connection.id, tenant: 'acme' })
  expect(checks.map(({ outcome }) => outcome)).toEqual(['unclear', 'healthy'])
  await expect(readHealth(world, { connectionId: connection.id, tenant: 'other' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

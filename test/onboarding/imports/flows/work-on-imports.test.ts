import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import type { RowDraft } from '../../../../src/onboarding/domain/imports/import.ts'
import { importFlows } from '../../../../src/onboarding/imports/flows/import-flows.ts'
import { expireStalledLinks } from '../../../../src/onboarding/provisioning/flows/stalled-links/expire-stalled-links.ts'
import { resumeLink } from '../../../../src/onboarding/provisioning/flows/stalled-links/resume-link.ts'
import { sweepLinks } from '../../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { breaks, isAway, refuses } from '../../../support/memory/doubles.ts'
import { byKey, type MemoryWorld, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld

const rotating = { rotation: 'replaces' } as const
const steady = { rotation: 'none' } as const

async function open(integration: Parameters<typeof openMemoryWorld>[0] = {}) {
  world = await openMemoryWorld(integration)
}

beforeEach(() => open({ integration: rotating }))

const flows = () => importFlows(world, world.settings)

/** Imports so many rows; the id of the import. */
async function importRows(count: number, more: Partial<RowDraft> = {}): Promise<string> {
  const { id } = (await flows().createImport({ caller: operator, actor: byKey, tenant: 'acme' })).import
  const rows = Array.from({ length: count }, (_, at) => ({
    key: `row-${at}`,
    integration: 'files',
    endUser: { id: `user-${at}` },
    accountId: undefined,
    refreshToken: new Secret(`token-${at}`),
    scopes: undefined,
    inputs: {},
    ...more,
  }))
  await flows().addImportRows({ caller: operator, actor: byKey, id, rows, dryRun: false })
  return id
}

const work = () => flows().workOnImports()
const counts = async (id: string) => (await flows().readImport({ caller: operator, id })).counts
const progress = async (id: string) => {
  const { byStatus } = await counts(id)
  return Object.fromEntries(Object.entries(byStatus).filter(([, count]) => count > 0))
}
const theLink = () => [...world.tables.links.values()][0] as NonNullable<ReturnType<typeof world.tables.links.get>>
const theConnection = () => [...world.tables.connections.values()][0]
const sweep = () => sweepLinks(world, world.settings)()

test('rows become connections, each with the token that the provider gave last', async () => {
  const id = await importRows(3)

  expect(await work()).toBe(3)

  expect(await progress(id)).toEqual({ linked: 3 })
  expect(world.provider.calls).toEqual(['refresh', 'refresh', 'refresh'])
  expect(world.platform.calls.filter((call) => call.endsWith('refresh-2'))).toHaveLength(3)
  expect(world.platform.calls.filter((call) => call === 'verifyFunction')).toHaveLength(3)
  expect(theConnection()).toMatchObject({ status: 'active', account: { id: 'account-1' }, endUserId: 'user-0' })
  expect(world.tables.escrow.size).toBe(0)
})

test('the tenant is told by the report, and not by an event for each row', async () => {
  await importRows(2)

  await work()

  expect(world.events()).toEqual([])
})

describe('the record', () => {
  const actions = () => world.actions().filter((action) => action.startsWith('link.'))

  test('has every step of each, and what comes at once as one', async () => {
    await importRows(1)

    await work()

    expect(actions()).toEqual(['link.imported', 'link.testing', 'link.linked'])
    expect(world.platform.calls.filter((call) => call === 'verifyFunction')).toHaveLength(1)
  })

  test('has the function by itself where that does not work at once', async () => {
    const { verifyFunction } = world.platform
    let tries = 0
    world.platform.verifyFunction = async (at) => (tries++ === 0 ? refuses('function_failed')() : verifyFunction(at))
    const id = await importRows(1)

    await work()

    expect(await progress(id)).toEqual({ linked: 1 })
    expect(actions()).toEqual(['link.imported', 'link.testing', 'link.function_ready', 'link.linked'])
  })
})

test('more rows than are worked on at once are all worked on', async () => {
  const id = await importRows(25)

  expect(await work()).toBe(25)

  expect(await progress(id)).toEqual({ linked: 25 })
  expect(await work()).toBe(0)
})

describe('a grant that does not work', () => {
  test('fails its row for what the provider said, and leaves nothing behind', async () => {
    world.provider.refresh = refuses('grant_revoked')
    const id = await importRows(1)

    await work()

    expect(await counts(id)).toMatchObject({ byStatus: { failed: 1 }, byCause: { grant_revoked: 1 } })
    expect(world.platform.calls).toEqual([])
    expect(world.provider.calls).toEqual([])
    expect(world.tables.escrow.size).toBe(0)
  })

  // Of an address that is not called, nothing was sent either: its token may still be.
  test.each(['client_rejected', 'address_blocked'] as const)(
    'for %s waits until somebody has put that right, and is tried again then',
    async (cause) => {
      const { refresh } = world.provider
      world.provider.refresh = refuses(cause)
      const id = await importRows(1)
      await work()
      const before = await progress(id)

      world.provider.refresh = refresh
      const { done } = await resumeLink(world, world.settings)({ caller: operator, actor: byKey, id: theLink().id })
      await done

      expect(before).toEqual({ needs_attention: 1 })
      expect(await progress(id)).toEqual({ linked: 1 })
    },
  )

  test('because nobody answers is tried again later, and is sent once', async () => {
    const { refresh } = world.provider
    world.provider.refresh = isAway('provider_unavailable')
    const id = await importRows(1)
    await work()
    const before = await progress(id)

    world.provider.refresh = refresh
    world.clock.pass(120)
    await sweep()

    expect(before).toEqual({ pending: 1 })
    expect(await progress(id)).toEqual({ linked: 1 })
    expect(world.provider.calls).toEqual(['refresh'])
  })
})

describe('a worker that is lost', () => {
  test('before the token was sent costs nothing', async () => {
    const id = await importRows(1)
    await world.links.openImported({ limit: 1 }, { action: 'link.imported', actor: { kind: 'worker' } })

    world.clock.pass(60)
    await sweep()

    expect(await progress(id)).toEqual({ linked: 1 })
  })

  test('after a rotating token was sent leaves it alone: the answer is lost, and a second use could end the grant', async () => {
    world.provider.refresh = breaks
    const id = await importRows(1)
    await expect(work()).rejects.toThrow('a double broke')

    world.clock.pass(60)
    await sweep()

    expect(await counts(id)).toMatchObject({ byStatus: { failed: 1 }, byCause: { exchange_unknown: 1 } })
    expect(world.provider.calls).toEqual([])
    // Nobody knows whether the tenant's copy still works, so nobody says so.
    expect(world.tables.audit.at(-1)?.entry).toMatchObject({ action: 'link.failed' })
    expect(world.tables.audit.at(-1)?.entry.facts).not.toHaveProperty('grant')
  })

  test('after a token that is never replaced was sent sends it again', async () => {
    await open({ integration: steady })
    const { refresh } = world.provider
    world.provider.refresh = breaks
    const id = await importRows(1)
    await expect(work()).rejects.toThrow('a double broke')

    world.provider.refresh = refresh
    world.clock.pass(60)
    await sweep()

    expect(await progress(id)).toEqual({ linked: 1 })
  })

  test('after the answer was sealed goes on with what the provider gave', async () => {
    const { createConnection } = world.platform
    world.platform.createConnection = breaks
    const id = await importRows(1)
    await expect(work()).rejects.toThrow('a double broke')

    world.platform.createConnection = createConnection
    world.clock.pass(60)
    await sweep()

    expect(await progress(id)).toEqual({ linked: 1 })
    expect(world.provider.calls).toEqual(['refresh'])
    expect(world.platform.calls[0]).toMatch(/^createConnection .* refresh-2$/)
  })
})

test('a ledger that is away when the answer comes costs no grant', async () => {
  const { keepTrialRefresh } = world.links
  let refused = 0
  world.links.keepTrialRefresh = async (link, sealed) => (refused++ < 6 ? breaks() : keepTrialRefresh(link, sealed))
  const id = await importRows(1)

  await work()

  expect(await progress(id)).toEqual({ linked: 1 })
  expect(world.provider.calls).toEqual(['refresh'])
})

test.each([
  [true, undefined],
  [false, undefined],
  [true, 'none'],
] as const)(
  'a grant is kept as one that rotates if its token was replaced (%s), whatever the profile says (%s)',
  async (rotated, rotation) => {
    await open({ integration: { rotation } })
    const { refresh } = world.provider
    world.provider.refresh = async (request) => ({ ...(await refresh(request)), rotated })
    await importRows(1)

    await work()

    expect([...world.tables.storedGrants.values()]).toMatchObject([{ rotates: rotated }])
  },
)

describe('a grant of another account than the row says', () => {
  test('whose token was replaced stays sealed: the tenant’s own copy is worth nothing', async () => {
    const id = await importRows(1, { accountId: 'somebody-else' })

    await work()

    expect(await counts(id)).toMatchObject({
      byStatus: { needs_attention: 1 },
      byCause: { import_account_mismatch: 1 },
    })
    expect(world.platform.calls).toEqual([])
    expect(world.tables.escrow.size).toBe(1)
  })

  test('whose token was not replaced fails, and is not revoked: the tenant may be using it', async () => {
    await open({ integration: steady })
    world.provider.refresh = async ({ keep }) => {
      await keep(new Secret('token-0'))
      return { rotated: false }
    }
    world.provider.rereadRefresh = async () => ({ rotated: false })
    const id = await importRows(1, { accountId: 'somebody-else' })

    await work()

    expect(await progress(id)).toEqual({ failed: 1 })
    expect(world.provider.calls).toEqual([])
    expect(world.tables.escrow.size).toBe(0)
  })
})

test('permissions that are missing fail the row, with their names', async () => {
  world.provider.describeRefresh = async () => ({ account: undefined, scopes: ['other'], config: {} })
  world.provider.rereadRefresh = async () => ({ rotated: false })
  const id = await importRows(1)

  await work()

  expect(await counts(id)).toMatchObject({ byStatus: { failed: 1 }, byCause: { scope_missing: 1 } })
  expect(theLink().missingScopes).toEqual(['files.read'])
})

test('what neither provider nor row says of the account stays unknown, and the row’s own word counts', async () => {
  world.provider.describeRefresh = async () => ({ account: undefined, scopes: undefined, config: {} })
  await importRows(1, { accountId: 'account-9' })

  await work()

  expect(theConnection()?.account).toEqual({ id: 'account-9', label: 'account-9' })
})

test('an imported grant that nobody looks at expires, and is revoked only where the provider replaced it', async () => {
  world.platform.createConnection = refuses('platform_refused')
  world.provider.rereadRefresh = async () => ({ rotated: false })
  const id = await importRows(1)
  await work()
  const before = await progress(id)

  world.clock.pass(world.settings.escrowSeconds + 1)
  await expireStalledLinks(world, world.settings)()

  expect(before).toEqual({ needs_attention: 1 })
  expect(await progress(id)).toEqual({ failed: 1 })
  expect(world.provider.calls.filter((call) => call.startsWith('revoke'))).toEqual([])
  expect(world.events()).toEqual([])
})

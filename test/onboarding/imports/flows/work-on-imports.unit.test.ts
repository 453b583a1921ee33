import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import type { RowDraft } from '../../../../src/onboarding/domain/imports/import.ts'
import { addImportRows } from '../../../../src/onboarding/imports/flows/add-import-rows.ts'
import { createImport, readImport } from '../../../../src/onboarding/imports/flows/manage-imports.ts'
import { workOnImports } from '../../../../src/onboarding/imports/flows/work-on-imports.ts'
import { expireStalledLinks } from '../../../../src/onboarding/provisioning/flows/stalled-links/end-stalled-link.ts'
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

async function importRows(count: number, more: Partial<RowDraft> = {}): Promise<string> {
  const { id } = (await createImport(world, { caller: operator, actor: byKey, tenant: 'acme' })).import
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
  await addImportRows(world, { caller: operator, actor: byKey, id, rows, dryRun: false })
  return id
}

const work = () => workOnImports(world, world.settings)
const counts = async (id: string) => (await readImport(world, { caller: operator, id })).counts
const progress = async (id: string) => {
  const { byStatus } = await counts(id)
  return Object.fromEntries(Object.entries(byStatus).filter(([, count]) => count > 0))
}
const theLink = () => [...world.tables.links.values()][0] as NonNullable<ReturnType<typeof world.tables.links.get>>
const theConnection = () => [...world.tables.connections.values()][0]
const sweep = () => sweepLinks(world, world.settings)

test('rows become connections with the newest token of the provider', async () => {
  const id = await importRows(3)

  expect(await work()).toBe(3)

  expect(await progress(id)).toEqual({ linked: 3 })
  expect(world.provider.calls).toEqual(['refresh', 'refresh', 'refresh'])
  expect(world.platform.calls.filter((call) => call.endsWith('refresh-2'))).toHaveLength(3)
  expect(world.platform.calls.filter((call) => call === 'verifyFunction')).toHaveLength(3)
  expect(theConnection()).toMatchObject({ status: 'active', account: { id: 'account-1' }, endUserId: 'user-0' })
  expect(world.tables.escrow.size).toBe(0)
})

test('imports send no event per row', async () => {
  await importRows(2)

  await work()

  expect(world.events()).toEqual([])
})

describe('the audit log', () => {
  const actions = () => world.actions().filter((action) => action.startsWith('link.'))

  test('combines steps that finish together', async () => {
    await importRows(1)

    await work()

    expect(actions()).toEqual(['link.imported', 'link.testing', 'link.linked'])
    expect(world.platform.calls.filter((call) => call === 'verifyFunction')).toHaveLength(1)
  })

  test('has the function step separately if verification is retried', async () => {
    const { verifyFunction } = world.platform
    let tries = 0
    world.platform.verifyFunction = async (at) => (tries++ === 0 ? refuses('function_failed')() : verifyFunction(at))
    const id = await importRows(1)

    await work()

    expect(await progress(id)).toEqual({ linked: 1 })
    expect(actions()).toEqual(['link.imported', 'link.testing', 'link.function_ready', 'link.linked'])
  })
})

test('imports more rows than fit in one batch', async () => {
  const id = await importRows(25)

  expect(await work()).toBe(25)

  expect(await progress(id)).toEqual({ linked: 25 })
  expect(await work()).toBe(0)
})

describe('a broken grant', () => {
  test('fails its row with the provider’s cause and leaves nothing behind', async () => {
    world.provider.refresh = refuses('grant_revoked')
    const id = await importRows(1)

    await work()

    expect(await counts(id)).toMatchObject({ byStatus: { failed: 1 }, byCause: { grant_revoked: 1 } })
    expect(world.platform.calls).toEqual([])
    expect(world.provider.calls).toEqual([])
    expect(world.tables.escrow.size).toBe(0)
  })

  // Nothing was sent to a blocked address, so the token may still work.
  test.each(['client_rejected', 'address_blocked'] as const)(
    'for %s waits for an operator and can be resumed',
    async (cause) => {
      const { refresh } = world.provider
      world.provider.refresh = refuses(cause)
      const id = await importRows(1)
      await work()
      const before = await progress(id)

      world.provider.refresh = refresh
      const { done } = await resumeLink(world, world.settings, { caller: operator, actor: byKey, id: theLink().id })
      await done

      expect(before).toEqual({ needs_attention: 1 })
      expect(await progress(id)).toEqual({ linked: 1 })
    },
  )

  test('because the provider is unavailable is retried, and sent once', async () => {
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

describe('a lost worker', () => {
  test('before the token was sent does not fail the row', async () => {
    const id = await importRows(1)
    await world.links.openImported({ limit: 1 }, { action: 'link.imported', actor: { kind: 'worker' } })

    world.clock.pass(60)
    await sweep()

    expect(await progress(id)).toEqual({ linked: 1 })
  })

  test('after a rotating token was sent fails the row, because a second use could end the grant', async () => {
    world.provider.refresh = breaks
    const id = await importRows(1)
    await expect(work()).rejects.toThrow('a double broke')

    world.clock.pass(60)
    await sweep()

    expect(await counts(id)).toMatchObject({ byStatus: { failed: 1 }, byCause: { exchange_unknown: 1 } })
    expect(world.provider.calls).toEqual([])
    // It is unknown whether the tenant’s copy still works.
    expect(world.tables.audit.at(-1)?.entry).toMatchObject({ action: 'link.failed' })
    expect(world.tables.audit.at(-1)?.entry.facts).not.toHaveProperty('grant')
  })

  test('after a non-rotating token was sent sends it again', async () => {
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

  test('after the response was sealed continues with it', async () => {
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

test('an unavailable ledger does not lose the response', async () => {
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
  'a grant is stored as rotating if its token was replaced (%s), whatever the profile says (%s)',
  async (rotated, rotation) => {
    await open({ integration: { rotation } })
    const { refresh } = world.provider
    world.provider.refresh = async (request) => ({ ...(await refresh(request)), rotated })
    await importRows(1)

    await work()

    expect([...world.tables.storedGrants.values()]).toMatchObject([{ rotates: rotated }])
  },
)

describe('a grant for an account other than the row’s', () => {
  test('whose token was replaced stays sealed, because the tenant’s copy no longer works', async () => {
    const id = await importRows(1, { accountId: 'somebody-else' })

    await work()

    expect(await counts(id)).toMatchObject({
      byStatus: { needs_attention: 1 },
      byCause: { import_account_mismatch: 1 },
    })
    expect(world.platform.calls).toEqual([])
    expect(world.tables.escrow.size).toBe(1)
  })

  test('whose token was not replaced fails without revocation, because the tenant may use it', async () => {
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

test('missing scopes fail the row and are named', async () => {
  world.provider.describeRefresh = async () => ({ account: undefined, scopes: ['other'], config: {} })
  world.provider.rereadRefresh = async () => ({ rotated: false })
  const id = await importRows(1)

  await work()

  expect(await counts(id)).toMatchObject({ byStatus: { failed: 1 }, byCause: { scope_missing: 1 } })
  expect(theLink().missingScopes).toEqual(['files.read'])
})

test('T4: uses the account of the row as a claim if the provider names none', async () => {
  world.provider.describeRefresh = async () => ({ account: undefined, scopes: undefined, config: {} })
  await importRows(1, { accountId: 'account-9' })

  await work()

  expect(theConnection()?.account).toEqual({ id: 'account-9', label: 'account-9', claimed: true })
})

test('a parked import expires, and is revoked only if its token was replaced', async () => {
  world.platform.createConnection = refuses('platform_refused')
  world.provider.rereadRefresh = async () => ({ rotated: false })
  const id = await importRows(1)
  await work()
  const before = await progress(id)

  world.clock.pass(world.settings.escrowSeconds + 1)
  await expireStalledLinks(world, world.settings)

  expect(before).toEqual({ needs_attention: 1 })
  expect(await progress(id)).toEqual({ failed: 1 })
  expect(world.provider.calls.filter((call) => call.startsWith('revoke'))).toEqual([])
  expect(world.events()).toEqual([])
})

import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { type RowDraft, rowStatusOf } from '../../../../src/onboarding/domain/imports/import.ts'
import { addImportRows } from '../../../../src/onboarding/imports/flows/add-import-rows.ts'
import { cancelImport, createImport, readImport } from '../../../../src/onboarding/imports/flows/manage-imports.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
let id: string
beforeEach(async () => {
  world = await openMemoryWorld()
  id = await newImport()
})

const newImport = async () => (await createImport(world, { caller: operator, actor: byKey, tenant: 'acme' })).import.id

const draft = (key: string, more: Partial<RowDraft> = {}): RowDraft => ({
  key,
  integration: 'files',
  endUser: { id: `user-${key}` },
  accountId: undefined,
  refreshToken: new Secret(`token-${key}`),
  scopes: undefined,
  inputs: {},
  ...more,
})
const add = (
  rows: RowDraft[],
  more: { dryRun?: boolean; caller?: typeof operator | ReturnType<typeof ofTenant> } = {},
) => addImportRows(world, { caller: operator, actor: byKey, id, rows, dryRun: false, ...more })

test('the status of an import follows its rows', async () => {
  const read = async () => (await readImport(world, { caller: operator, id })).status

  const before = await read()
  await add([draft('a', { integration: 'nothing' })])
  const after = await read()
  await add([draft('b')])

  expect([before, after, await read()]).toEqual(['empty', 'done', 'pending'])
})

describe('new rows', () => {
  test('are sealed and wait', async () => {
    const [row] = await add([draft('a')])

    const kept = [...world.tables.importRows.values()][0]
    expect(row).toMatchObject({ key: 'a', state: 'waiting' })
    expect(kept?.sealed).not.toContain('token-a')
    expect(JSON.stringify([...world.tables.importRows.values()])).not.toContain('token-a')
  })

  test.each([
    ['an unknown integration', { integration: 'nothing' }, 'integration_unknown'],
    ['an integration without a client', { integration: 'mail' }, 'integration_unknown'],
    ['no token', { refreshToken: new Secret('') }, 'token_malformed'],
    ['a token with a line break', { refreshToken: new Secret('a\r\nb') }, 'token_malformed'],
    ['an overlong token', { refreshToken: new Secret('x'.repeat(4_097)) }, 'token_malformed'],
    ['an unknown input', { inputs: { subdomain: 'acme' } }, 'inputs_invalid'],
  ] as const)('with %s are rejected individually', async (_, wrong, problem) => {
    const rows = await add([draft('a', wrong), draft('b')])

    expect(rows.map((row) => [row.state, row.problem])).toEqual([
      ['invalid', problem],
      ['waiting', undefined],
    ])
  })

  test('of an integration without refresh tokens cannot be imported', async () => {
    world = await openMemoryWorld({ integration: { grant: 'lasting_access' } })
    id = await newImport()

    expect(await add([draft('a')])).toMatchObject([{ state: 'invalid', problem: 'grant_unsupported' }])
  })

  test('with the same token count once', async () => {
    const rows = await add([draft('a'), draft('b', { refreshToken: new Secret('token-a') })])

    expect(rows.map(({ problem }) => problem)).toEqual([undefined, 'token_repeated'])
  })

  test('with a repeated key are accepted once, and rejected if they differ', async () => {
    const rows = await add([draft('a'), draft('a'), draft('a', { endUser: { id: 'somebody' } }), draft('b')])

    expect(rows.map((row) => [row.key, row.state, row.problem])).toEqual([
      ['a', 'waiting', undefined],
      ['a', 'waiting', undefined],
      ['a', 'invalid', 'key_reused'],
      ['b', 'waiting', undefined],
    ])
    expect([...world.tables.importRows.values()].map(({ key, endUser }) => [key, endUser.id])).toEqual([
      ['a', 'user-a'],
      ['b', 'user-b'],
    ])
  })

  test('with invalid members report them and can be corrected under the same key', async () => {
    const errors = [{ pointer: '/endUser/id', detail: 'is required' }]
    const [bad] = await add([draft('a', { errors }), draft('b')])
    const [mended] = await add([draft('a')])

    expect(bad).toMatchObject({ state: 'invalid', problem: 'members_invalid', errors })
    expect(mended).toMatchObject({ state: 'waiting', problem: undefined, errors: undefined })
  })

  test('can be sent again, and are rejected if they differ', async () => {
    await add([draft('a'), draft('b')])

    const again = await add([draft('a'), draft('b', { endUser: { id: 'somebody' } })])

    expect(again.map((row) => [rowStatusOf(row), row.problem])).toEqual([
      ['waiting', undefined],
      ['invalid', 'key_reused'],
    ])
    expect(world.tables.importRows.size).toBe(2)
  })

  test('are not stored in a dry run', async () => {
    const rows = await add([draft('a'), draft('b', { integration: 'nothing' })], { dryRun: true })

    expect(rows.map(({ state }) => state)).toEqual(['waiting', 'invalid'])
    expect(world.tables.importRows.size).toBe(0)
    expect(world.provider.calls).toEqual([])
  })

  test('for another tenant find no import', async () => {
    await expect(add([draft('a')], { caller: ofTenant('globex') })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('are rejected after the import was cancelled', async () => {
    await cancelImport(world, { caller: operator, actor: byKey, id })

    await expect(add([draft('a')])).rejects.toMatchObject({ code: 'import_cancelled' })
  })

  test('are rejected for a tenant that is being deleted', async () => {
    const about = { subject: { kind: 'tenant', id: 'acme' }, tenant: 'acme' } as const
    await world.deletions.open('acme', byKey, { action: 'tenant.deletion_started', actor: byKey, ...about })

    await expect(add([draft('a')])).rejects.toMatchObject({ code: 'tenant_deleted' })
  })
})

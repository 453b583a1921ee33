import { beforeEach, describe, expect, test } from 'vitest'
import { type Import, type ImportRow, maxStalled } from '../../../src/onboarding/domain/imports/import.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import type { CheckedRow } from '../../../src/onboarding/domain/ports/imports.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const importPromises = ({ ledger: opened, racing }: Contract) =>
  describe('imports', () => {
    let ledger: Ledger
    let into: Import
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      into = await create()
    })

    const create = (tenant = 'acme') =>
      ledger.imports.create(
        { id: ledger.tokens.id('imp'), tenant, name: 'a move' },
        auditEntry('import.created', { tenant }),
      )
    const aRow = (key: string, more: Partial<CheckedRow> = {}): CheckedRow => ({
      key,
      integration: 'files',
      endUser: { id: `user-${key}` },
      accountId: undefined,
      scopes: undefined,
      workspace: 'acme',
      problem: undefined,
      config: {},
      digest: `digest ${key}`,
      tokenDigest: `token ${key}`,
      fingerprint: `print ${key}`,
      linkId: ledger.tokens.id('lnk'),
      connectionId: ledger.tokens.id('con'),
      connectionName: `files-${key}`,
      sealed: `sealed ${key}`,
      ...more,
    })
    const add = (rows: CheckedRow[], { dryRun = false, to = into } = {}) =>
      ledger.imports.addRows(to, rows, { dryRun, audit: auditEntry('import.rows_added') })
    const start = (limit = 10) =>
      ledger.links.openImported({ limit }, { action: 'link.imported', actor: { kind: 'worker' } })
    const rowsOf = async ({ id }: Import = into): Promise<ImportRow[]> =>
      (await ledger.imports.rows(id, { status: undefined, cursor: undefined, limit: 100 })).data
    const keysOf = (links: Link[]) => links.map(({ endUser }) => endUser.id.slice(5)).sort()
    const actions = async () => (await ledger.noted()).map(({ action }) => action)

    test('stores and audits a created import', async () => {
      expect(await ledger.imports.find(into.id)).toEqual(into)
      expect(into).toMatchObject({ tenant: 'acme', name: 'a move', cancelledAt: undefined })
      expect(await actions()).toContain('import.created')
    })

    test('lists the imports of one tenant, newest first', async () => {
      await ledger.addTenant('globex')
      await create('globex')
      const newer = await create()

      const page = await ledger.imports.list({ tenant: 'acme', cursor: undefined, limit: 10 })

      // IDs of the same millisecond have no order.
      expect(page.data.map(({ id }) => id)).toEqual([newer.id, into.id].sort().reverse())
    })

    test('keeps rows in upload order, paginated', async () => {
      await add([aRow('b'), aRow('a'), aRow('c')])

      const first = await ledger.imports.rows(into.id, { status: undefined, cursor: undefined, limit: 2 })
      const second = await ledger.imports.rows(into.id, { status: undefined, cursor: first.nextCursor, limit: 2 })

      expect(first.data.map(({ key, state }) => [key, state])).toEqual([
        ['b', 'waiting'],
        ['a', 'waiting'],
      ])
      expect(second).toMatchObject({ data: [{ key: 'c' }], nextCursor: undefined })
    })

    test('T4: the account of a row is a claim of the tenant, also for its connection', async () => {
      await add([aRow('a', { accountId: 'account-9' }), aRow('b')])

      const [link] = (await start()).filter(({ account }) => account !== undefined)

      expect(link?.account).toMatchObject({ id: 'account-9', claimed: true })
    })

    test('a repeated row is a no-op, and a changed one does not replace it', async () => {
      await add([aRow('a')])

      const again = await add([aRow('a'), aRow('b')])
      const changed = await add([aRow('a', { digest: 'another', endUser: { id: 'somebody' } })])

      expect(again.map(({ outcome }) => outcome)).toEqual(['known', 'added'])
      expect(changed).toMatchObject([{ outcome: 'changed', row: { endUser: { id: 'user-a' } } }])
      expect(await rowsOf()).toHaveLength(2)
    })

    test('an invalid row stores no grant, and can be sent again once corrected', async () => {
      const [refused] = await add([aRow('a', { problem: 'token_malformed' })])
      const none = await start()

      const [mended] = await add([aRow('a', { digest: 'mended' })])

      expect(refused).toMatchObject({ outcome: 'added', row: { state: 'invalid', problem: 'token_malformed' } })
      expect(none).toEqual([])
      expect(mended).toMatchObject({ outcome: 'added', row: { state: 'waiting', problem: undefined } })
      expect(keysOf(await start())).toEqual(['a'])
    })

    test('an invalid row keeps its errors until it is corrected', async () => {
      const errors = [{ pointer: '/endUser/id', detail: 'is required' }]

      const [refused] = await add([aRow('a', { problem: 'members_invalid', errors })])
      const kept = await rowsOf()
      const [tried] = await add([aRow('b', { problem: 'members_invalid', errors })], { dryRun: true })
      await add([aRow('a')])

      expect([refused?.row, kept[0], tried?.row].map((row) => row?.errors)).toEqual([errors, errors, errors])
      expect(await rowsOf()).toMatchObject([{ state: 'waiting', errors: undefined }])
    })

    test('rejects a token that another row of the tenant uses, unless that row failed', async () => {
      await add([aRow('a')])
      const other = await create()
      const twin = () => aRow('twin', { tokenDigest: 'token a' })

      const [refused] = await add([twin()], { to: other })
      const [link] = await start()
      await ledger.move(link as Link, 'failed', { cause: 'import_account_mismatch', escrow: null })
      const [taken] = await add([twin()], { to: other })

      expect(refused?.row).toMatchObject({ state: 'invalid', problem: 'token_repeated' })
      expect(taken?.row).toMatchObject({ state: 'waiting', problem: undefined })
    })

    racing('one of many concurrent rows with the same token keeps it', async () => {
      const each = ['a', 'b', 'c', 'd'].map((key) => aRow(key, { tokenDigest: 'the same' }))

      await Promise.all(each.map((row) => add([row])))

      expect((await rowsOf()).filter(({ state }) => state === 'waiting')).toHaveLength(1)
    })

    test('a dry run returns the same results and stores nothing', async () => {
      await add([aRow('a')])
      const before = await ledger.noted()

      const told = await add([aRow('a'), aRow('b'), aRow('c', { tokenDigest: 'token a' })], { dryRun: true })

      expect(told.map(({ row: { state, problem }, outcome }) => [state, problem, outcome])).toEqual([
        ['waiting', undefined, 'known'],
        ['waiting', undefined, 'added'],
        ['invalid', 'token_repeated', 'added'],
      ])
      expect(await rowsOf()).toHaveLength(1)
      expect(await ledger.noted()).toEqual(before)
    })

    test('starting a row creates and audits a link with its grant in escrow', async () => {
      const scopes = ['files.read']
      await add([aRow('a', { accountId: 'account-1', scopes, config: { subdomain: 'acme' } })])

      const [link] = (await start()) as [Link]

      expect(await ledger.links.find(link.id)).toEqual(link)
      expect(link).toMatchObject({
        tenant: 'acme',
        importId: into.id,
        state: 'escrowed',
        account: { id: 'account-1' },
        grantedScopes: scopes,
        config: { subdomain: 'acme' },
        endUser: { id: 'user-a' },
      })
      expect((await ledger.secrets.escrow(link.id))?.sealed).toBe('sealed a')
      expect(await ledger.sessions.find(link.sessionId)).toMatchObject({ linkId: link.id, expired: true })
      expect((await ledger.noted()).at(-1)).toMatchObject({ action: 'link.imported', link: link.id })
      expect(await rowsOf()).toMatchObject([{ state: 'started', linkState: 'escrowed', linkId: link.id }])
    })

    test('starts a row once', async () => {
      await add([aRow('a')])

      expect([await start(), await start()].map((links) => links.length)).toEqual([1, 0])
    })

    racing('each row is claimed by one of many workers', async () => {
      await add(Array.from({ length: 40 }, (_, at) => aRow(`${at}`)))

      const started = (await Promise.all(Array.from({ length: 8 }, () => start(5)))).flat()
      const rest = await start(40)

      expect(new Set([...started, ...rest].map(({ id }) => id)).size).toBe(40)
      expect(started.length + rest.length).toBe(40)
    })

    test('the sweep resumes a link whose worker was lost', async () => {
      await add([aRow('a')])
      const [link] = (await start()) as [Link]

      const early = await ledger.links.claimDue({ limit: 5, perTenant: 5 })
      await ledger.pass(60)

      expect(early).toEqual([])
      expect(await ledger.links.claimDue({ limit: 5, perTenant: 5 })).toMatchObject([
        { id: link.id, importId: into.id },
      ])
    })

    test('every import gets its share', async () => {
      await ledger.addTenant('globex')
      const theirs = await create('globex')
      await add(['a', 'b', 'c', 'd'].map((key) => aRow(key)))
      await add([aRow('x', { workspace: 'globex' })], { to: theirs })

      expect(keysOf(await start(2))).toEqual(['a', 'x'])
    })

    test('R3: a tenant’s share does not depend on its number of imports', async () => {
      await ledger.addTenant('globex')
      const theirs = await create('globex')
      for (const at of [1, 2, 3, 4, 5]) await add([aRow(`${at}-a`), aRow(`${at}-b`)], { to: await create('acme') })
      await add(
        ['x', 'y', 'z'].map((key) => aRow(key, { workspace: 'globex' })),
        { to: theirs },
      )

      const started = await start(4)

      expect(started).toHaveLength(4)
      expect(started.filter(({ tenant }) => tenant === 'globex')).toHaveLength(2)
    })

    test('a tenant with few rows is not starved by those with many, even if there are too few slots for all', async () => {
      await add(Array.from({ length: 60 }, (_, at) => aRow(`${at}`)))
      for (const tenant of ['initech', 'globex']) await ledger.addTenant(tenant)
      const many = Array.from({ length: 60 }, (_, at) => aRow(`many-${at}`, { workspace: 'globex' }))
      await add(many, { to: await create('globex') })
      await add([aRow('few', { workspace: 'initech' })], { to: await create('initech') })

      const turns: Link[][] = []
      while (turns.length < 40 && !turns.flat().some(({ tenant }) => tenant === 'initech')) turns.push(await start(2))

      expect(turns.length).toBeLessThan(40)
    })

    test('pauses an import with too many links that need attention', async () => {
      await add(Array.from({ length: maxStalled + 1 }, (_, at) => aRow(`${at}`)))
      const links = await start(maxStalled)
      for (const link of links) await ledger.move(link, 'needs_attention', { cause: 'client_rejected' })

      const none = await start()
      await ledger.move((await ledger.links.find((links[0] as Link).id)) as Link, 'failed', { escrow: null })

      expect(none).toEqual([])
      expect(await start()).toHaveLength(1)
    })

    test('starts nothing for a tenant that is being deleted', async () => {
      await add([aRow('a')])
      await ledger.deletions.open('acme', { kind: 'operator' }, auditEntry('tenant.deletion_started'))

      expect(await start()).toEqual([])
    })

    test('deleting a tenant deletes its rows and their waiting grants', async () => {
      await add([aRow('a')])
      const actor = { kind: 'operator' } as const
      const deletion = await ledger.deletions.open('acme', actor, auditEntry('tenant.deletion_started'))

      await ledger.deletions.finish(deletion as NonNullable<typeof deletion>, auditEntry('tenant.deleted'))

      expect(await rowsOf()).toEqual([])
    })

    test('cancelling an import stops it and wipes the grants of its rows', async () => {
      await add([aRow('a'), aRow('b')])
      await start(1)
      const cancel = () => ledger.imports.cancel(into.id, auditEntry('import.cancelled'))

      expect([await cancel(), await cancel()]).toEqual([true, false])
      expect(await start()).toEqual([])
      expect((await rowsOf()).map(({ state }) => state)).toEqual(['started', 'cancelled'])
      expect((await ledger.imports.find(into.id))?.cancelledAt).toBeInstanceOf(Date)
    })

    test('rejects rows for a cancelled import, even if the caller read it before', async () => {
      await ledger.imports.cancel(into.id, auditEntry('import.cancelled'))

      await expect(add([aRow('a')])).rejects.toMatchObject({ code: 'import_cancelled' })
      expect(await rowsOf()).toEqual([])
    })

    racing('cancelling an import during an upload leaves no waiting grants', async () => {
      const adding = Array.from({ length: 8 }, (_, at) => add([aRow(`${at}`)]))
      await Promise.allSettled([...adding, ledger.imports.cancel(into.id, auditEntry('import.cancelled'))])

      expect((await rowsOf()).filter(({ state }) => state !== 'cancelled')).toEqual([])
    })

    test('counts the rows by status and cause', async () => {
      await add([aRow('a'), aRow('b'), aRow('c'), aRow('d'), aRow('e', { problem: 'inputs_invalid' })])
      const [one, two, three] = (await start(3)) as [Link, Link, Link]
      await ledger.finish(one)
      await ledger.move(two, 'failed', { cause: 'grant_revoked', escrow: null })
      await ledger.links.postpone(three, 60, 'provider_unavailable')

      expect(await ledger.imports.counts(into.id)).toEqual({
        byStatus: { waiting: 1, pending: 1, linked: 1, failed: 1, needs_attention: 0, invalid: 1, cancelled: 0 },
        byCause: { grant_revoked: 1, inputs_invalid: 1 },
      })
      const failed = await ledger.imports.rows(into.id, { status: 'failed', cursor: undefined, limit: 10 })
      expect(failed.data).toMatchObject([{ key: 'b', linkState: 'failed', cause: 'grant_revoked' }])
      const invalid = await ledger.imports.rows(into.id, { status: 'invalid', cursor: undefined, limit: 10 })
      expect(invalid.data.map(({ key }) => key)).toEqual(['e'])
    })
  })

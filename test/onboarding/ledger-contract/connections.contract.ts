import { beforeEach, describe, expect, test } from 'vitest'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const connectionPromises = ({ ledger: opened, racing }: Contract) =>
  describe('connections', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const all = {
      tenant: undefined,
      integration: undefined,
      status: undefined,
      cause: undefined,
      endUserId: undefined,
      cursor: undefined,
      limit: 100,
    }
    const relinking = async (connectionId: string) =>
      ledger.escrow(await ledger.openLink(await ledger.addSession({ connectionId })))
    const disconnected = async () => {
      const { id } = await ledger.addConnection()
      const about = { id: 'tsk_1', connectionId: id, kind: 'disconnect', step: 'removing_connection' } as const
      const actor = { kind: 'operator' } as const
      const task = await ledger.tasks.open({ ...about, reason: '', actor, notes: {} }, auditEntry('disconnect.started'))
      const event = { id: 'evt_1', name: 'connection.disconnected', payload: {} } as const
      await ledger.tasks.finishDisconnect(task!, event, auditEntry('connection.disconnected'))
      return ledger.found(id)
    }

    test('finds a connection by its platform name only in its own workspace', async () => {
      const { id, workspace, name } = await ledger.addConnection()

      const found = await Promise.all([
        ledger.connections.named(workspace, name),
        ledger.connections.named('another', name),
        ledger.connections.named(workspace, 'another'),
      ])

      expect(found.map((each) => each?.id)).toEqual([id, undefined, undefined])
    })

    test('a running link locks its connection against all other links', async () => {
      const { id } = await ledger.addConnection()
      const link = await relinking(id)
      const other = await relinking(id)

      const locked = [await ledger.connections.lock(id, link.id), await ledger.connections.lock(id, other.id)]

      expect(locked).toEqual([true, false])
    })

    test('a lock is reentrant', async () => {
      const { id } = await ledger.addConnection()
      const link = await relinking(id)

      expect([await ledger.connections.lock(id, link.id), await ledger.connections.lock(id, link.id)]).toEqual([
        true,
        true,
      ])
    })

    racing('one of many concurrent links gets the lock', async () => {
      const { id } = await ledger.addConnection()
      const links = await Promise.all(Array.from({ length: 6 }, () => relinking(id)))

      const locked = await Promise.all(links.map((link) => ledger.connections.lock(id, link.id)))

      expect(locked.filter(Boolean)).toHaveLength(1)
    })

    test('a link’s lock is released when the link ends', async () => {
      const { id } = await ledger.addConnection()
      const [link, other] = [await relinking(id), await relinking(id)]
      await ledger.connections.lock(id, link.id)

      await ledger.move(link, 'failed', { escrow: null })

      expect(await ledger.connections.lock(id, other.id)).toBe(true)
    })

    test('a link that needs attention releases its lock', async () => {
      const { id } = await ledger.addConnection()
      const [link, other] = [await relinking(id), await relinking(id)]
      await ledger.connections.lock(id, link.id)

      await ledger.move(link, 'needs_attention', { resumeFrom: 'escrowed' })

      expect(await ledger.connections.lock(id, other.id)).toBe(true)
    })

    test('a short lock is released on unlock', async () => {
      const { id } = await ledger.addConnection()
      const link = await relinking(id)
      await ledger.connections.lockBriefly(id, 'chk_1')
      const during = await ledger.connections.lock(id, link.id)

      await ledger.connections.unlock(id, 'chk_1')

      expect([during, await ledger.connections.lock(id, link.id)]).toEqual([false, true])
    })

    test('a short lock expires in case its holder died', async () => {
      const { id } = await ledger.addConnection()
      await ledger.connections.lockBriefly(id, 'chk_1')
      await ledger.pass(40)
      const early = await ledger.connections.lockBriefly(id, 'chk_2')
      await ledger.pass(30)

      expect([early, await ledger.connections.lockBriefly(id, 'chk_2')]).toEqual([false, true])
    })

    test('taking a short lock again extends it', async () => {
      const { id } = await ledger.addConnection()
      await ledger.connections.lockBriefly(id, 'chk_1')
      await ledger.pass(40)
      await ledger.connections.lockBriefly(id, 'chk_1')
      await ledger.pass(40)

      expect(await ledger.connections.lockBriefly(id, 'chk_2')).toBe(false)
    })

    test('only the holder can unlock a connection', async () => {
      const { id } = await ledger.addConnection()
      await ledger.connections.lockBriefly(id, 'chk_1')
      await ledger.connections.unlock(id, 'chk_2')

      expect(await ledger.connections.lockBriefly(id, 'chk_2')).toBe(false)
    })

    test('a short lock moves the next check forward in case its holder dies', async () => {
      const { id } = await ledger.addConnection({}, {}, { checkInSeconds: 3_600 })
      await ledger.connections.lockBriefly(id, 'chk_1')
      await ledger.pass(61)

      expect((await ledger.healthChecks.claimDue(10)).map((due) => due.id)).toEqual([id])
    })

    test('a disconnected connection cannot be locked', async () => {
      const { id } = await disconnected()

      expect([await ledger.connections.lock(id, 'lnk_1'), await ledger.connections.lockBriefly(id, 'chk_1')]).toEqual([
        false,
        false,
      ])
    })

    test('lists connections newest first, paginated', async () => {
      for (let count = 0; count < 3; count++) await ledger.addConnection()

      const first = await ledger.connections.list({ ...all, limit: 2 })
      const last = await ledger.connections.list({ ...all, limit: 2, cursor: first.nextCursor })

      const ids = [...first.data, ...last.data].map(({ id }) => id)
      expect(ids).toEqual(ids.toSorted().toReversed())
      expect([first.data.length, last.data.length, last.nextCursor]).toEqual([2, 1, undefined])
    })

    test('filters connections by tenant, integration, status and user', async () => {
      await ledger.addTenant('other')
      const mail = await ledger.addConnection({ tenant: 'other', integration: 'mail', endUser: { id: 'user-2' } })
      const ended = await disconnected()
      const listed = async (query: Partial<typeof all> | { status: 'disconnected' } | Record<string, string>) =>
        (await ledger.connections.list({ ...all, ...query })).data.map(({ id }) => id)

      expect(await listed({ tenant: 'other' })).toEqual([mail.id])
      expect(await listed({ integration: 'mail' })).toEqual([mail.id])
      expect(await listed({ endUserId: 'user-2' })).toEqual([mail.id])
      expect(await listed({ status: 'disconnected' })).toEqual([ended.id])
      expect(await listed({ tenant: 'other', status: 'disconnected' })).toEqual([])
    })

    test('stores the scope that a re-link requests in the connection’s config', async () => {
      const connection = await ledger.addConnection()
      await ledger.connections.rememberScopes(connection.id, { scope: 'notes:read' })
      await ledger.connections.rememberScopes(connection.id, { scope: 'notes:read notes:write' })

      const { config } = (await ledger.connections.find(connection.id))!
      expect(config).toEqual({ ...connection.config, scope: 'notes:read notes:write' })
    })

    test('R9: pins an unknown account once, and only for the current grant version', async () => {
      const account = { id: 'account-9', label: 'nine@files.example' }
      const { id, grantVersion } = await ledger.addConnection({}, { account: undefined })
      const known = await ledger.addConnection()
      const pin = (of: { id: string; grantVersion: number }) =>
        ledger.connections.pinAccount(of, account, auditEntry('connection.account_learned', { connection: of.id }))

      expect(await pin({ id, grantVersion: grantVersion + 1 })).toBe(false)
      expect([await pin({ id, grantVersion }), await pin({ id, grantVersion })]).toEqual([true, false])
      expect(await pin(known)).toBe(false)

      expect((await ledger.connections.find(id))?.account).toEqual(account)
      expect((await ledger.connections.find(known.id))?.account).toEqual(known.account)
    })

    test('Z1: pinning an account also records it on the link that obtained the grant', async () => {
      const account = { id: 'account-9', label: 'nine@files.example' }
      const connection = await ledger.addConnection({}, { account: undefined })
      const other = await ledger.addConnection({}, { account: undefined })
      const linkOf = async ({ id }: { id: string }) =>
        ledger.links.find((await ledger.storedGrants.find(id, 'current'))?.linkId ?? '')

      const audit = auditEntry('connection.account_learned', { connection: connection.id })
      await ledger.connections.pinAccount(connection, account, audit)

      expect((await linkOf(connection))?.account).toEqual(account)
      expect((await linkOf(other))?.account).toBeUndefined()
    })

    test('the end user of a connection keeps the display name from the first link', async () => {
      const connection = await ledger.addConnection({ endUser: { id: 'user-1', displayName: 'Uma' } })
      const later = await ledger.addSession({ connectionId: connection.id, endUser: { id: 'user-1' } })
      await ledger.openLink(later, { id: 'lnk_z' })

      expect(await ledger.connections.endUser(connection)).toEqual({ id: 'user-1', displayName: 'Uma' })
    })
  })

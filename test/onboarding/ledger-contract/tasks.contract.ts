import { beforeEach, describe, expect, test } from 'vitest'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { ConnectionTask } from '../../../src/onboarding/domain/connection-task.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const taskPromises = ({ ledger: opened, racing }: Contract) =>
  describe('tasks on a connection', () => {
    let ledger: Ledger
    let connection: Connection
    let opens = 0
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      connection = await ledger.addConnection()
    })

    const event = { id: 'evt_1', name: 'connection.disconnected', payload: {} } as const
    const stepped = auditEntry('connection.function_removed')
    const tryOpen = (kind: ConnectionTask['kind'] = 'disconnect', id = `tsk_${++opens}`) => {
      const step = kind === 'disconnect' ? 'revoking' : 'testing'
      const about = { reason: 'asked for', actor: { kind: 'operator' as const, id: 'ops' }, notes: {} }
      const audit = auditEntry(`${kind}.started`, { connection: connection.id })
      return ledger.tasks.open({ id, connectionId: connection.id, kind, step, ...about }, audit)
    }
    const open = async (kind?: ConnectionTask['kind']) => (await tryOpen(kind)) as ConnectionTask
    const disconnect = async () =>
      ledger.tasks.finishDisconnect(await open(), event, auditEntry('connection.disconnected'))

    test('stores and audits an opened task', async () => {
      const task = await open()

      expect(await ledger.tasks.find(task.id)).toEqual(task)
      expect(task).toMatchObject({ kind: 'disconnect', step: 'revoking', attempts: 0, actor: { id: 'ops' } })
      expect((await ledger.noted()).at(-1)).toMatchObject({ action: 'disconnect.started' })
    })

    test('a follow-up task has no reason', async () => {
      const about = { reason: undefined, actor: { kind: 'operator' as const, id: 'ops' }, notes: {} }
      const task = { id: 'tsk_x', connectionId: connection.id, kind: 'disconnect' as const, step: 'revoking' as const }
      await ledger.tasks.open({ ...task, ...about }, auditEntry('disconnect.started'))

      expect((await ledger.tasks.find('tsk_x'))?.reason).toBeUndefined()
    })

    test('finds the running task of a connection until it ends', async () => {
      const other = await ledger.addConnection()
      const task = await open()

      expect(await ledger.tasks.underWay(connection.id)).toEqual(task)
      expect(await ledger.tasks.underWay(other.id)).toBeUndefined()

      await ledger.tasks.finishDisconnect(task, event, auditEntry('connection.disconnected'))
      expect(await ledger.tasks.underWay(connection.id)).toBeUndefined()
    })

    test('allows one task at a time, and does not audit a rejected one', async () => {
      await open()
      const before = await ledger.noted()

      expect(await tryOpen('rollback')).toBeUndefined()
      expect(await ledger.noted()).toEqual(before)
    })

    racing('one of many concurrent tasks is opened', async () => {
      const tasks = await Promise.all(Array.from({ length: 6 }, () => tryOpen()))

      expect(tasks.filter(Boolean)).toHaveLength(1)
    })

    test('rejects a task while a re-link holds the connection', async () => {
      const link = await ledger.escrow(await ledger.openLink(await ledger.addSession({ connectionId: connection.id })))
      await ledger.connections.lock(connection.id, link.id)

      expect(await tryOpen()).toBeUndefined()
    })

    test('a link cannot lock a connection while a task runs', async () => {
      const link = await ledger.escrow(await ledger.openLink(await ledger.addSession({ connectionId: connection.id })))
      await open()

      expect(await ledger.connections.lock(connection.id, link.id)).toBe(false)
    })

    test('an ended task frees the connection for the next one', async () => {
      await ledger.tasks.fail(await open('rollback'), 'grant_revoked', auditEntry('rollback.failed'))

      expect(await tryOpen()).toBeDefined()
    })

    test('rejects a task on a disconnected connection', async () => {
      await disconnect()

      expect(await tryOpen()).toBeUndefined()
    })

    test('a disconnect cancels sessions that could still start, including one whose first attempt failed', async () => {
      const mint = () => ledger.addSession({ connectionId: connection.id })
      const [unused, failed, underWay] = [await mint(), await mint(), await mint()]
      await ledger.move(await ledger.openLink(failed), 'denied')
      await ledger.openLink(underWay)

      await disconnect()

      const withdrawn = await Promise.all(
        [unused, failed, underWay].map(async ({ id }) => (await ledger.sessions.find(id))?.cancelledAt !== undefined),
      )
      expect(withdrawn).toEqual([true, true, false])
    })

    test('a step stores its notes', async () => {
      const moved = await ledger.tasks.move(await open(), 'removing_function', { revocation: 'revoked' }, stepped)

      expect(moved).toMatchObject({ step: 'removing_function', notes: { revocation: 'revoked' } })
      expect(await ledger.tasks.find(moved!.id)).toEqual(moved)
    })

    test('a step is written once', async () => {
      const task = await open()
      await ledger.tasks.move(task, 'removing_function', {}, stepped)
      const before = await ledger.noted()

      expect(await ledger.tasks.move(task, 'removing_function', {}, stepped)).toBeUndefined()
      expect(await ledger.noted()).toEqual(before)
    })

    test('a task is leased, and a claim after the lease fences the previous worker', async () => {
      const task = await open()
      await ledger.pass(15)
      const early = await ledger.tasks.claimDue(10)
      await ledger.pass(20)
      const [claimed] = await ledger.tasks.claimDue(10)

      expect(early).toEqual([])
      expect(claimed?.fence).toBe(task.fence + 1)
      expect(await ledger.tasks.move(task, 'removing_function', {}, stepped)).toBeUndefined()
      expect(await ledger.tasks.move(claimed!, 'removing_function', {}, stepped)).toBeDefined()
    })

    test('a renewed lease keeps a task, and a lost or ended task has none', async () => {
      const task = await open()
      await ledger.pass(20)
      const kept = await ledger.tasks.keepLease(task)
      await ledger.pass(20)
      const early = await ledger.tasks.claimDue(10)
      await ledger.pass(11)
      const [claimed] = await ledger.tasks.claimDue(10)
      const lost = await ledger.tasks.keepLease(task)
      await ledger.tasks.fail(claimed!, 'grant_unusable', stepped)
      const ended = await ledger.tasks.keepLease(claimed!)

      expect(early).toEqual([])
      expect([kept, lost, ended]).toEqual([true, false, false])
    })

    test('S2: counts the workers lost on a task until one writes a result', async () => {
      const opened = await open()
      await ledger.pass(31)
      const [lost] = await ledger.tasks.claimDue(10)
      await ledger.pass(31)
      const [again] = await ledger.tasks.claimDue(10)
      const moved = await ledger.tasks.move(again!, 'removing_function', {}, stepped)
      await ledger.tasks.postpone(moved!, 60, 'platform_unavailable')

      const postponed = await ledger.tasks.find(opened.id)
      expect([opened, lost, again, moved, postponed].map((task) => task?.claims)).toEqual([1, 2, 3, 1, 0])
    })

    test('S2: claims a task whose worker was lost on its own', async () => {
      const left = await open()
      connection = await ledger.addConnection()
      const other = await open()
      await ledger.tasks.postpone(other, 40, 'platform_unavailable')
      await ledger.pass(41)

      const rounds = [await ledger.tasks.claimDue(10), await ledger.tasks.claimDue(10)]

      expect(rounds.map((tasks) => tasks.map(({ id }) => id))).toEqual([[left.id], [other.id]])
    })

    test('a postponed task is due at its time, and keeps its attempts and cause', async () => {
      const task = await open()
      await ledger.tasks.postpone(task, 300, 'platform_unavailable')
      await ledger.pass(250)
      const early = await ledger.tasks.claimDue(10)
      await ledger.pass(51)
      const [claimed] = await ledger.tasks.claimDue(10)

      expect(early).toEqual([])
      expect(claimed).toMatchObject({ id: task.id, attempts: 1, cause: 'platform_unavailable', step: 'revoking' })
    })

    test('a fenced worker cannot postpone a task', async () => {
      const task = await open()
      await ledger.pass(31)
      await ledger.tasks.claimDue(10)

      await ledger.tasks.postpone(task, 300, 'platform_unavailable')

      expect((await ledger.tasks.find(task.id))?.attempts).toBe(0)
    })

    test('an ended task is never due again', async () => {
      await disconnect()
      await ledger.pass(100_000)

      expect(await ledger.tasks.claimDue(10)).toEqual([])
    })

    test('a disconnect ends the connection, wipes its grants and notifies the tenant atomically', async () => {
      await ledger.relink(connection)

      const done = await disconnect()

      expect(done?.step).toBe('done')
      expect(await ledger.found(connection.id)).toMatchObject({ status: 'disconnected', cause: undefined })
      expect((await ledger.found(connection.id)).disconnectedAt).toBeInstanceOf(Date)
      expect(await ledger.storedGrants.find(connection.id, 'current')).toBeUndefined()
      expect(await ledger.storedGrants.find(connection.id, 'previous')).toBeUndefined()
      expect(await ledger.events()).toMatchObject([{ tenant: 'acme', name: 'connection.disconnected' }])
    })

    test('a disconnected connection is no longer checked', async () => {
      await disconnect()
      await ledger.pass(100_000)

      expect(await ledger.healthChecks.claimDue(10)).toEqual([])
    })

    test('a disconnect cancels only unstarted sessions', async () => {
      const unused = await ledger.addSession({ connectionId: connection.id })
      const started = await ledger.addSession({ connectionId: connection.id })
      await ledger.openLink(started)

      await disconnect()

      expect((await ledger.sessions.find(unused.id))?.cancelledAt).toBeInstanceOf(Date)
      expect((await ledger.sessions.find(started.id))?.cancelledAt).toBeUndefined()
    })

    test('a fenced worker cannot finish a disconnect', async () => {
      const task = await open()
      await ledger.pass(31)
      await ledger.tasks.claimDue(10)

      expect(await ledger.tasks.finishDisconnect(task, event, auditEntry('connection.disconnected'))).toBeUndefined()
      expect((await ledger.found(connection.id)).status).toBe('active')
      expect(await ledger.events()).toEqual([])
    })

    test('a rollback swaps the grants and restores the connection’s values', async () => {
      await ledger.relink(connection)
      const to = { name: connection.name, account: { id: 'account-1', label: 'before' }, scopes: ['files.read'] }

      const done = await ledger.tasks.finishRollback(await open('rollback'), to, auditEntry('connection.rolled_back'))

      expect(done?.step).toBe('done')
      expect((await ledger.storedGrants.find(connection.id, 'current'))?.sealed).toBe('sealed first grant')
      expect(await ledger.storedGrants.find(connection.id, 'previous')).toMatchObject({ sealed: 'sealed second grant' })
      expect(await ledger.found(connection.id)).toMatchObject({ ...to, status: 'active', grantVersion: 2 })
    })

    test('a restored grant does not expire, and the replaced one does', async () => {
      await ledger.relink(connection)
      await ledger.tasks.finishRollback(await open('rollback'), connection, auditEntry('connection.rolled_back'))

      expect((await ledger.storedGrants.find(connection.id, 'current'))?.keepUntil).toBeUndefined()
      expect((await ledger.storedGrants.find(connection.id, 'previous'))?.keepUntil).toBeInstanceOf(Date)
    })
  })

import { beforeEach, describe, expect, test } from 'vitest'
import type { Actor } from '../../../src/onboarding/domain/audit/audit.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { ConnectionTask } from '../../../src/onboarding/domain/connection-task.ts'
import type { Erasure, OpenErasure } from '../../../src/onboarding/domain/offboarding/erasure.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const erasurePromises = ({ ledger: opened, racing }: Contract) =>
  describe('end-user erasures', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const actor: Actor = { kind: 'api_key', id: 'key_1' }
    const browser: Actor = { kind: 'browser', requestId: 'req_1', address: '192.0.2.7' }
    const event = (id = 'evt_e') => ({ id, name: 'end_user.erased', payload: { erasureId: 'ers_1' } }) as const
    /** JavaScript and the database fold these letters differently. */
    const user = { id: 'User-İẞ-1', email: 'user@acme.example', displayName: 'U. Ser' }
    const alikeId = 'user-İẞ-1'

    const open = async (id = 'ers_1', more: { tenant?: string; endUserId?: string } = {}) => {
      const { tenant = 'acme', endUserId = user.id } = more
      const asked = { id, tenant, endUserId, actor, subject: ledger.tokens.userHash({ tenant, id: endUserId }) }
      return (await ledger.erasures.open(asked, auditEntry('end_user.erasure_started', { tenant }))) as OpenErasure
    }
    const erasing = async (erasure?: OpenErasure) =>
      (await ledger.erasures.move(erasure ?? (await open()), 'erasing')) as OpenErasure
    const finish = async (erasure: OpenErasure) =>
      ledger.erasures.finish(erasure, event(`evt_${erasure.id}`), auditEntry('end_user.erased'))
    const finished = async () => (await finish(await erasing())) as Erasure
    const actions = async () => (await ledger.noted()).map(({ action }) => action)

    const disconnected = async (connection: Connection, by: Actor = actor) => {
      const asked = { id: `tsk_${connection.id}`, connectionId: connection.id, kind: 'disconnect' as const }
      const about = { tenant: connection.tenant, connection: connection.id }
      const started = auditEntry('disconnect.started', about)
      const task = (await ledger.tasks.open(
        { ...asked, step: 'revoking', reason: 'U. Ser wants it', actor: by, notes: {} },
        { ...started, actor: by, reason: 'U. Ser wants it', before: { account: 'user@files.example' } },
      )) as ConnectionTask
      const removing = auditEntry('connection.grant_revocation', about)
      const revoked = await ledger.tasks.move(task, 'removing_connection', { revocation: 'revoked' }, removing)
      const ended = {
        id: `evt_${connection.id}`,
        name: 'connection.disconnected',
        payload: { endUser: { id: user.id } },
      }
      await ledger.tasks.finishDisconnect(
        revoked as ConnectionTask,
        ended as Parameters<Ledger['tasks']['finishDisconnect']>[1],
        auditEntry('connection.disconnected', about),
      )
      return connection
    }

    test('a repeated request returns the running erasure without a second audit entry', async () => {
      const first = await open('ers_1')
      const again = await open('ers_2')

      expect(first).toMatchObject({ id: 'ers_1', step: 'ending_links', endUserId: user.id, actor, fence: 0 })
      expect(again.id).toBe('ers_1')
      expect((await actions()).filter((action) => action === 'end_user.erasure_started')).toHaveLength(1)
    })

    test('the same user ID in another tenant, or spelled differently, is another user', async () => {
      await ledger.addTenant('other')
      const ids = [
        await open('ers_1'),
        await open('ers_2', { tenant: 'other' }),
        await open('ers_3', { endUserId: alikeId }),
      ]

      expect(ids.map(({ id }) => id)).toEqual(['ers_1', 'ers_2', 'ers_3'])
    })

    racing('one of many concurrent requests opens it', async () => {
      const all = await Promise.all(Array.from({ length: 6 }, (_, at) => open(`ers_${at}`)))

      expect(new Set(all.map(({ id }) => id)).size).toBe(1)
      expect((await actions()).filter((action) => action === 'end_user.erasure_started')).toHaveLength(1)
    })

    test('the user can be erased again after an erasure finished', async () => {
      await finished()

      expect((await open('ers_2')).id).toBe('ers_2')
    })

    test('an erasure is leased, and a claim after the lease fences the previous worker', async () => {
      const erasure = await open()
      await ledger.pass(40)
      const early = await ledger.erasures.claimDue(10)
      await ledger.pass(30)
      const [claimed] = await ledger.erasures.claimDue(10)

      expect(early).toEqual([])
      expect(claimed?.fence).toBe(erasure.fence + 1)
      expect(await ledger.erasures.move(erasure, 'disconnecting')).toBeUndefined()
      expect(await ledger.erasures.move(claimed!, 'disconnecting')).toMatchObject({ step: 'disconnecting' })
    })

    test('S2: backs off claims of an erasure whose worker was lost', async () => {
      await open()
      const claimedAfter = async (seconds: number) => {
        await ledger.pass(seconds)
        return (await ledger.erasures.claimDue(10)).length
      }

      expect([await claimedAfter(61), await claimedAfter(61), await claimedAfter(60)]).toEqual([1, 0, 1])
    })

    test('a postponed erasure is due at its time and keeps its cause until it moves', async () => {
      const erasure = await open()
      await ledger.erasures.postpone(erasure, 5, 'platform_unavailable')
      const waiting = await ledger.erasures.find('ers_1')
      await ledger.pass(6)
      const [claimed] = await ledger.erasures.claimDue(10)
      const moved = await ledger.erasures.move(claimed!, 'disconnecting')

      expect(waiting?.cause).toBe('platform_unavailable')
      expect(moved?.cause).toBeUndefined()
    })

    test('measures the age of a step by the ledger’s clock', async () => {
      await ledger.erasures.move(await open(), 'notifying')
      await ledger.pass(20)

      expect((await ledger.erasures.find('ers_1'))?.stepAgeSeconds).toBeGreaterThanOrEqual(20)
    })

    test('lists erasures newest first, by tenant and by user', async () => {
      await ledger.addTenant('other')
      await open('ers_1')
      await open('ers_2', { endUserId: 'somebody else' })
      await open('ers_3', { tenant: 'other' })
      const subject = ledger.tokens.userHash({ tenant: 'acme', id: user.id })
      const ids = async (query: { tenant?: string; subject?: string; cursor?: string; limit?: number }) =>
        (await ledger.erasures.list({ cursor: undefined, limit: 10, ...query })).data.map(({ id }) => id)

      expect(await ids({})).toEqual(['ers_3', 'ers_2', 'ers_1'])
      expect(await ids({ tenant: 'acme' })).toEqual(['ers_2', 'ers_1'])
      expect(await ids({ tenant: 'acme', subject })).toEqual(['ers_1'])
      expect(await ids({ cursor: 'ers_3', limit: 1 })).toEqual(['ers_2'])
    })

    test('closes the sessions, manage pages and waiting rows of this user only', async () => {
      const own = await ledger.addSession({ endUser: user })
      const other = await ledger.addSession({ endUser: { id: alikeId } })
      const page = { tenant: 'acme', returnUrl: undefined, ttlSeconds: 600, openWithinSeconds: 300 }
      await ledger.manageSessions.create(
        { id: 'mng_1', endUser: user, ...page },
        'd1',
        auditEntry('manage_session.minted'),
      )
      await ledger.manageSessions.create(
        { id: 'mng_2', endUser: { id: 'x' }, ...page },
        'd2',
        auditEntry('manage_session.minted'),
      )

      await ledger.erasures.closeSessions(await open())

      expect((await ledger.sessions.find(own.id))?.cancelledAt).toBeInstanceOf(Date)
      expect((await ledger.sessions.find(other.id))?.cancelledAt).toBeUndefined()
      expect((await ledger.manageSessions.find('mng_1'))?.revokedAt).toBeInstanceOf(Date)
      expect((await ledger.manageSessions.find('mng_2'))?.revokedAt).toBeUndefined()
    })

    test('finds unfinished links, including those being revoked, and connections', async () => {
      const link = await ledger.addLink({ endUser: user })
      const revoking = await ledger.move(await ledger.escrow(await ledger.addLink({ endUser: user })), 'revoking')
      await ledger.move(await ledger.addLink({ endUser: user }), 'denied')
      await ledger.addLink({ endUser: { id: alikeId } })
      const connection = await ledger.addConnection({ endUser: user })
      await ledger.addConnection({ endUser: { id: alikeId } })
      const erasure = await open()

      expect((await ledger.erasures.openLinks(erasure, 10)).map(({ id }) => id)).toEqual([link.id, revoking.id].sort())
      expect(await ledger.erasures.openConnections(erasure, 10)).toEqual([connection.id])
    })

    test('reports the cause that blocks a task on the user’s connection', async () => {
      const connection = await ledger.addConnection({ endUser: user })
      const erasure = await open()
      const task = { id: 'tsk_1', connectionId: connection.id, kind: 'disconnect', step: 'revoking' } as const
      const asked = await ledger.tasks.open(
        { ...task, reason: undefined, actor, notes: {} },
        auditEntry('disconnect.started'),
      )
      const before = await ledger.erasures.blockingCause(erasure)
      await ledger.tasks.postpone(asked!, 5, 'provider_unavailable')

      expect([before, await ledger.erasures.blockingCause(erasure)]).toEqual([undefined, 'provider_unavailable'])
    })

    test('messages about the user count as unsent until delivered, and others do not count', async () => {
      const webhook = {
        id: 'whk_000000000001',
        tenant: 'acme',
        url: 'https://hooks.example/',
        events: ['link.failed' as const],
      }
      await ledger.webhooks.create(webhook, 'sealed', 10, auditEntry('webhook.created'))
      const erasure = await open()
      const failed = (id: string, endUser: string) =>
        ({ id, name: 'link.failed', payload: { endUser: { id: endUser } } }) as const
      await ledger.move(await ledger.addLink(), 'failed', { event: failed('evt_1', alikeId) })
      const unsent = [await ledger.erasures.hasUnsentMessages(erasure)]
      await ledger.move(await ledger.addLink(), 'failed', { event: failed('evt_2', user.id) })
      unsent.push(await ledger.erasures.hasUnsentMessages(erasure))
      await ledger.deliveries.announce(10)
      unsent.push(await ledger.erasures.hasUnsentMessages(erasure))
      for (const claimed of await ledger.deliveries.claimDue({ limit: 9, perTenant: 9, underWay: {} }))
        await ledger.deliveries.delivered(claimed, 200)

      expect([...unsent, await ledger.erasures.hasUnsentMessages(erasure)]).toEqual([false, true, true, false])
    })

    test('an erasure that notifies lists the endpoints without a delivery, and its deadline', async () => {
      const webhook = (id: string) => ({
        id,
        tenant: 'acme',
        url: `https://hooks.example/${id}`,
        events: ['link.failed' as const],
      })
      for (const id of ['whk_000000000002', 'whk_000000000001'])
        await ledger.webhooks.create(webhook(id), 'sealed', 10, auditEntry('webhook.created'))
      const erasure = await open()
      for (const [id, endUser] of [
        ['evt_1', alikeId],
        ['evt_2', user.id],
        ['evt_3', user.id],
      ] as const)
        await ledger.move(await ledger.addLink(), 'failed', {
          event: { id, name: 'link.failed', payload: { endUser: { id: endUser } } },
        })
      await ledger.deliveries.announce(10)
      const before = await ledger.erasures.find(erasure.id)
      const moved = await ledger.erasures.move(erasure, 'notifying')
      const claimed = await ledger.deliveries.claimDue({ limit: 9, perTenant: 9, underWay: {} })
      for (const each of claimed.filter(({ webhook }) => webhook === 'whk_000000000001'))
        await ledger.deliveries.delivered(each, 200)

      const [found] = (await ledger.erasures.list({ tenant: 'acme', testMode: false, cursor: undefined, limit: 1 }))
        .data

      expect(before?.notifying).toBeUndefined()
      expect(moved?.notifying?.webhookIds).toEqual(['whk_000000000001', 'whk_000000000002'])
      expect(found?.notifying).toEqual({ webhookIds: ['whk_000000000002'], until: expect.any(Date) })
      expect(found!.notifying!.until.getTime() - found!.updatedAt.getTime()).toBe(60 * 60 * 1_000)
    })

    test('does not finish while the user has an unfinished link', async () => {
      const link = await ledger.addLink({ endUser: user })
      const erasure = await erasing()
      const early = await finish(erasure)
      await ledger.move(link, 'abandoned', { cause: 'session_cancelled' })

      expect(early).toBe('open')
      expect(await finish(erasure)).toMatchObject({ step: 'done', endUserId: undefined, cause: undefined })
    })

    test('finishes once, only for its holder, with one event and one audit entry', async () => {
      const erasure = await erasing()
      await ledger.pass(61)
      const [claimed] = await ledger.erasures.claimDue(10)

      const ends = [await finish(erasure), await finish(claimed!), await finish(claimed!)]

      expect(ends.map((end) => (end as Erasure | undefined)?.step)).toEqual([undefined, 'done', undefined])
      expect((await ledger.events()).map(({ name }) => name)).toEqual(['end_user.erased'])
      expect((await actions()).filter((action) => action === 'end_user.erased')).toHaveLength(1)
      expect(await ledger.erasures.claimDue(10)).toEqual([])
    })

    test('remaining rows contain the erasure ID instead of the user or account', async () => {
      const connection = await disconnected(
        await ledger.addConnection({ endUser: user, inputs: { host: 'ser' } }),
        browser,
      )
      const session = await ledger.addSession({ endUser: user, inputs: { host: 'ser' } })
      const failed = await ledger.move(await ledger.addLink({ endUser: user }), 'abandoned', {
        cause: 'session_cancelled',
        calls: [{ call: 'token', at: new Date(), status: 200, durationMs: 12, attempt: 1 }],
      })

      await finished()

      const nobody = { id: 'ers_1' }
      expect(await ledger.found(connection.id)).toMatchObject({ endUserId: 'ers_1', account: undefined, config: {} })
      expect(await ledger.connections.endUser(await ledger.found(connection.id))).toEqual(nobody)
      expect(await ledger.sessions.find(session.id)).toMatchObject({
        endUser: nobody,
        returnUrl: undefined,
        inputs: {},
      })
      expect(await ledger.links.find(failed.id)).toMatchObject({ endUser: nobody, returnUrl: undefined, browser: '' })
      expect(await ledger.callsOf(failed.id)).toEqual([])
      const task = await ledger.tasks.find(`tsk_${connection.id}`)
      expect([task?.reason, task?.actor]).toEqual([undefined, { kind: 'browser', requestId: 'req_1' }])
      const [about] = (await ledger.noted()).filter(({ action }) => action === 'disconnect.started')
      expect(about?.before).toEqual({ account: null })
    })

    test('does not change rows of other users or tenants', async () => {
      await ledger.addTenant('other')
      const theirs = await ledger.addConnection({ tenant: 'other', endUser: user })
      const alike = await ledger.addConnection({ endUser: { id: alikeId } })

      await finished()

      expect(await ledger.found(theirs.id)).toMatchObject({ endUserId: user.id, account: { id: 'account-1' } })
      expect(await ledger.found(alike.id)).toMatchObject({ endUserId: alikeId, account: { id: 'account-1' } })
    })

    test('the receipt counts the erased rows and lists the outcome of each grant', async () => {
      const connection = await disconnected(await ledger.addConnection({ endUser: user }))
      const link = await ledger.escrow(await ledger.addLink({ endUser: user }))
      const ended = auditEntry('link.failed', { tenant: 'acme', link: link.id })
      await ledger.links.move(link, 'failed', { escrow: null }, {
        ...ended,
        facts: { cause: 'answer_unreadable', grant: 'unrevoked' },
      } as typeof ended)
      const page = { tenant: 'acme', returnUrl: undefined, ttlSeconds: 600, openWithinSeconds: 300 }
      await ledger.manageSessions.create(
        { id: 'mng_1', endUser: user, ...page },
        'd1',
        auditEntry('manage_session.minted'),
      )

      const { receipt } = await finished()

      expect(receipt?.grants).toEqual([
        { integration: 'files', connectionId: connection.id, revocation: 'revoked' },
        { integration: 'files', linkId: link.id, revocation: 'refused' },
      ])
      expect(receipt?.removed).toMatchObject({
        connectSessions: 2,
        links: 2,
        connections: 1,
        manageSessions: 1,
        events: 1,
      })
      expect(receipt?.removed.auditEntries).toBeGreaterThanOrEqual(1)
      expect((await ledger.erasures.find('ers_1'))?.receipt).toEqual(receipt)
      expect(await ledger.manageSessions.find('mng_1')).toBeUndefined()
    })

    test('an unknown user has an empty receipt', async () => {
      const { receipt } = await finished()

      expect(receipt?.grants).toEqual([])
      expect(Object.values(receipt?.removed ?? { none: 1 }).every((count) => count === 0)).toBe(true)
    })
  })

import { beforeEach, describe, expect, test } from 'vitest'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import { addBroken as addBrokenTo, findBroken } from '../../support/memory/broken-connections.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const campaignPromises = ({ ledger: opened }: Contract) =>
  describe('campaigns', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const week = 7 * 24 * 60 * 60
    const need = { cause: 'grant_revoked', tenant: undefined, integration: undefined } as const
    const addBroken = (more: Parameters<typeof ledger.addConnection>[0] = {}) => addBrokenTo(ledger, more)
    const start = async (connections: Connection[], id = ledger.tokens.id('cmp')) => {
      const members = connections.map((connection) => ({
        connection,
        sessionId: ledger.tokens.id('ses'),
        tokenDigest: ledger.tokens.digest(connection.id),
      }))
      const actor = { kind: 'operator', id: 'ops' } as const
      const campaign = { id, ...need, tenant: 'acme', reason: 'provider was hacked', actor, ttlSeconds: week }
      return ledger.campaigns.create(campaign, members, auditEntry('campaign.started', { tenant: 'acme' }))
    }
    const cancel = (id: string) => ledger.campaigns.cancel(id, auditEntry('campaign.cancelled', { tenant: 'acme' }))
    const counts = async (id: string) => (await ledger.campaigns.find(id))?.counts
    const sessionOf = async (connection: Connection) => {
      const session = await ledger.sessions.byToken(ledger.tokens.digest(connection.id))
      return session!
    }

    test('a connection needs a re-link if it broke for that cause and has no open session', async () => {
      const broken = await addBroken()
      await ledger.addConnection()

      expect((await ledger.campaigns.needingRelink({ ...need, limit: 10 })).map(({ id }) => id)).toEqual([broken.id])
      expect(await ledger.campaigns.countNeedingRelink({ ...need, cause: 'client_rejected' })).toBe(0)
    })

    test('filters the connections that need a re-link by tenant and integration, up to the limit', async () => {
      await ledger.addTenant('other')
      await addBroken()
      await addBroken({ integration: 'mail' })
      await addBroken({ tenant: 'other' })

      expect(await ledger.campaigns.countNeedingRelink({ ...need, tenant: 'acme' })).toBe(2)
      expect(await ledger.campaigns.countNeedingRelink({ ...need, integration: 'mail' })).toBe(1)
      expect(await ledger.campaigns.needingRelink({ ...need, limit: 2 })).toHaveLength(2)
    })

    test('counts the connections that need a re-link by cause and by owner, highest first, without open sessions', async () => {
      await ledger.addTenant('other')
      const [, mail] = [await addBroken(), await addBroken({ integration: 'mail' })]
      await addBroken({ tenant: 'other', integration: 'mail' })
      await addBroken({ tenant: 'other', integration: 'mail' })
      await findBroken(ledger, mail, 'client_rejected')
      const addressed = await addBroken()
      await start([addressed])
      const anywhere = { tenant: undefined, integration: undefined }

      expect(await ledger.campaigns.causesOfNeed(anywhere)).toEqual([
        { cause: 'grant_revoked', count: 3 },
        { cause: 'client_rejected', count: 1 },
      ])
      expect(await ledger.campaigns.causesOfNeed({ ...anywhere, tenant: 'acme', integration: 'mail' })).toEqual([
        { cause: 'client_rejected', count: 1 },
      ])
      expect(await ledger.campaigns.ownersInNeed({ ...need, limit: 10 })).toEqual([
        { tenant: 'other', integration: 'mail', count: 2 },
        { tenant: 'acme', integration: addressed.integration, count: 1 },
      ])
      expect(await ledger.campaigns.ownersInNeed({ ...need, limit: 1 })).toHaveLength(1)
    })

    test('creates one session per member of a campaign', async () => {
      const broken = await addBroken({ endUser: { id: 'user-7', email: 'seven@acme.example' } })

      const campaign = await start([broken])

      expect(campaign).toMatchObject({ members: 1, cause: 'grant_revoked', cancelledAt: undefined })
      expect(await sessionOf(broken)).toMatchObject({
        tenant: 'acme',
        connectionId: broken.id,
        allowOtherAccount: false,
        endUser: { id: 'user-7', email: 'seven@acme.example' },
      })
      expect((await ledger.noted()).at(-1)?.action).toBe('campaign.started')
    })

    test('a connection with an open session needs no second one until it expires', async () => {
      await start([await addBroken()])

      const during = await ledger.campaigns.countNeedingRelink(need)
      await ledger.pass(week + 1)

      expect([during, await ledger.campaigns.countNeedingRelink(need)]).toEqual([0, 1])
    })

    test('a session for a connection without a known account expires after a day', async () => {
      const link = await ledger.escrow(await ledger.addLink())
      await ledger.move(link, 'linked', {
        escrow: null,
        functionUrl: 'https://functions.example/',
        connected: {
          checkInSeconds: 600,
          clientId: 'client-1',
          keepGrant: true,
          rotates: false,
          previousSeconds: undefined,
        },
      })
      const unpinned = await ledger.found(link.connectionId)
      await start([unpinned])
      await ledger.pass(24 * 60 * 60 + 1)

      expect((await sessionOf(unpinned)).expired).toBe(true)
    })

    test('R2: selects only connections with a known account on request', async () => {
      const pinned = await addBroken()
      const none = { account: undefined }
      await addBrokenTo({ ...ledger, addConnection: () => ledger.addConnection({}, none) })

      const found = await ledger.campaigns.needingRelink({ ...need, pinned: true, limit: 10 })

      expect(found.map(({ id }) => id)).toEqual([pinned.id])
      expect(await ledger.campaigns.countNeedingRelink({ ...need, pinned: true })).toBe(1)
      expect(await ledger.campaigns.countNeedingRelink(need)).toBe(2)
    })

    test('counts each member once, by the progress of its user', async () => {
      const [open, started, failed] = [await addBroken(), await addBroken(), await addBroken()]
      const { id } = await start([open, started, failed])
      await ledger.openLink(await sessionOf(started))
      await ledger.move(await ledger.openLink(await sessionOf(failed)), 'denied')

      expect(await counts(id)).toEqual({ open: 1, started: 1, linked: 0, failed: 1, expired: 0, cancelled: 0 })
    })

    test('a re-link through any session counts as linked', async () => {
      const broken = await addBroken()
      const { id } = await start([broken])
      await ledger.pass(60)

      await ledger.relink(broken)

      expect(await counts(id)).toMatchObject({ linked: 1, open: 0 })
    })

    test('unused URLs expire', async () => {
      const { id } = await start([await addBroken()])
      await ledger.pass(week + 1)

      expect(await counts(id)).toMatchObject({ expired: 1, open: 0 })
    })

    test('Z6: cancelling withdraws unused sessions and returns the links that wait for a user', async () => {
      const [open, started, granted] = [await addBroken(), await addBroken(), await addBroken()]
      const { id } = await start([open, started, granted])
      const link = await ledger.openLink(await sessionOf(started))
      await ledger.move(await ledger.openLink(await sessionOf(granted)), 'exchanging')
      const before = await ledger.campaigns.find(id)

      await cancel(id)

      expect(before?.cancellable).toBe(2)
      expect((await sessionOf(started)).cancelledAt).toBeInstanceOf(Date)
      expect((await sessionOf(granted)).cancelledAt).toBeUndefined()
      expect((await ledger.campaigns.waitingLinks(id)).map((each) => each.id)).toEqual([link.id])
      expect((await ledger.campaigns.find(id))?.campaign.cancelledAt).toBeInstanceOf(Date)
      expect((await ledger.noted()).at(-1)).toMatchObject({
        action: 'campaign.cancelled',
        after: { addressesCancelled: 2 },
      })
    })

    test('cancelling withdraws a session whose first attempt failed, because it could be used again', async () => {
      const broken = await addBroken()
      const { id } = await start([broken])
      await ledger.move(await ledger.openLink(await sessionOf(broken)), 'denied')
      const before = await ledger.campaigns.find(id)

      await cancel(id)

      expect(before?.cancellable).toBe(1)
      expect((await ledger.campaigns.find(id))?.cancellable).toBe(0)
      expect((await sessionOf(broken)).cancelledAt).toBeInstanceOf(Date)
    })

    test('cancelling twice is a no-op with one audit entry', async () => {
      const { id } = await start([await addBroken()])
      await cancel(id)
      const first = await ledger.campaigns.find(id)
      await cancel(id)

      expect(await ledger.campaigns.find(id)).toEqual(first)
      expect((await ledger.noted()).filter(({ action }) => action === 'campaign.cancelled')).toHaveLength(1)
    })

    test('connections of a cancelled campaign can join another one immediately', async () => {
      const { id } = await start([await addBroken()])
      await cancel(id)

      expect(await ledger.campaigns.countNeedingRelink(need)).toBe(1)
    })

    test('lists members by connection, paginated', async () => {
      const broken = [await addBroken(), await addBroken(), await addBroken()]
      const { id } = await start(broken)

      const first = await ledger.campaigns.members(id, { cursor: undefined, limit: 2 })
      const last = await ledger.campaigns.members(id, { cursor: first.nextCursor, limit: 2 })

      const listed = [...first.data, ...last.data].map(({ connectionId }) => connectionId)
      expect(listed).toEqual(broken.map((connection) => connection.id).toSorted())
      expect([first.data.length, last.nextCursor]).toEqual([2, undefined])
    })

    test('lists campaigns newest first, per tenant', async () => {
      await start([await addBroken()], 'cmp_1')
      await start([await addBroken()], 'cmp_2')

      const page = await ledger.campaigns.list({ tenant: 'acme', cursor: undefined, limit: 1 })
      const next = await ledger.campaigns.list({ tenant: 'acme', cursor: page.nextCursor, limit: 1 })

      expect([...page.data, ...next.data].map(({ campaign }) => campaign.id)).toEqual(['cmp_2', 'cmp_1'])
      expect((await ledger.campaigns.list({ tenant: 'other', cursor: undefined, limit: 1 })).data).toEqual([])
    })
  })

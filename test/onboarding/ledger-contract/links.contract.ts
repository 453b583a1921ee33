import { beforeEach, describe, expect, test } from 'vitest'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const linkPromises = ({ ledger: opened, racing }: Contract) =>
  describe('links', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const all = { tenant: undefined, status: undefined, cause: undefined, cursor: undefined, limit: 100 }
    const started = auditEntry('link.started')

    test('creates a link with defaults and returns it unchanged', async () => {
      const link = await ledger.addLink()

      expect(link).toMatchObject({
        state: 'authorizing',
        fence: 0,
        attempts: 0,
        missingScopes: [],
        forcedConsent: false,
      })
      expect(await ledger.links.find(link.id)).toEqual(link)
    })

    test('starts a session once', async () => {
      const session = await ledger.addSession()
      await ledger.openLink(session)

      expect(await ledger.links.open(ledger.newLink(session), started)).toBeUndefined()
    })

    racing('one of many concurrent starts succeeds', async () => {
      const session = await ledger.addSession()

      const all = await Promise.all(
        Array.from({ length: 8 }, () => ledger.links.open(ledger.newLink(session), started)),
      )

      expect(all.filter((link) => link !== undefined)).toHaveLength(1)
    })

    test('does not start a cancelled session', async () => {
      const session = await ledger.addSession()
      await ledger.sessions.cancel(session.id, auditEntry('session.cancelled'))

      expect(await ledger.links.open(ledger.newLink(session), started)).toBeUndefined()
    })

    test('does not start an expired session', async () => {
      const session = await ledger.addSession({ ttlSeconds: 600 })
      await ledger.pass(601)

      expect(await ledger.links.open(ledger.newLink(session), started)).toBeUndefined()
    })

    test('audits a start, but not a rejected one', async () => {
      const session = await ledger.addSession()
      await ledger.links.open(ledger.newLink(session), started)
      await ledger.links.open(ledger.newLink(session), started)

      expect((await ledger.noted()).filter(({ action }) => action === 'link.started')).toHaveLength(1)
    })

    test('audits moves of a link in order, and a receipt with the move behind it', async () => {
      const link = await ledger.addLink()
      await ledger.addLink()
      const escrowed = await ledger.escrow(link)
      await ledger.move(escrowed, 'linked', { escrow: null })

      const own = (await ledger.noted()).filter((entry) => entry.link === link.id)
      expect(own.map(({ action }) => action)).toEqual(['link.started', 'link.exchanging', 'link.linked'])
      expect(own.at(-1)?.facts).toEqual({ receivedAt: escrowed.updatedAt.toISOString() })
    })

    test('keeps the time of a receipt until an entry has it', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      const stored = await ledger.links.find(escrowed.id)
      const parked = await ledger.move(escrowed, 'needs_attention', { cause: 'platform_refused' })

      expect([escrowed, stored].map((link) => link?.receivedAt)).toEqual([escrowed.updatedAt, escrowed.updatedAt])
      expect(await ledger.links.find(escrowed.id)).toEqual(parked)
      expect(parked.receivedAt).toBeUndefined()
    })

    test('lists links newest first, paginated, and the last page has no cursor', async () => {
      for (const id of ['lnk_1', 'lnk_2', 'lnk_3']) await ledger.addLink({}, { id })

      const first = await ledger.links.list({ ...all, limit: 2 })
      const last = await ledger.links.list({ ...all, limit: 2, cursor: first.nextCursor })

      expect([first, last].map(({ data }) => data.map(({ id }) => id))).toEqual([['lnk_3', 'lnk_2'], ['lnk_1']])
      expect(last.nextCursor).toBeUndefined()
    })

    test('filters links by tenant, status and cause', async () => {
      await ledger.addTenant('other')
      const denied = await ledger.move(await ledger.addLink(), 'denied', { cause: 'consent_denied' })
      const others = await ledger.addLink({ tenant: 'other' })
      const listed = async (query: Partial<Parameters<typeof ledger.links.list>[0]>) =>
        (await ledger.links.list({ ...all, ...query })).data.map(({ id }) => id)

      expect(await listed({ tenant: 'other' })).toEqual([others.id])
      expect(await listed({ status: 'denied' })).toEqual([denied.id])
      expect(await listed({ cause: 'consent_denied' })).toEqual([denied.id])
      expect(await listed({ tenant: 'other', cause: 'consent_denied' })).toEqual([])
    })

    test('counts wrong completions', async () => {
      const link = await ledger.addLink()

      const counts = [await ledger.links.countWrongCompletion(link), await ledger.links.countWrongCompletion(link)]

      expect(counts).toEqual([1, 2])
    })

    racing('counts concurrent wrong completions', async () => {
      const link = await ledger.addLink()

      const counts = await Promise.all(Array.from({ length: 8 }, () => ledger.links.countWrongCompletion(link)))

      expect(counts.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    })

    test('counts a tenant’s backlog of links that wait for the platform, up to the limit', async () => {
      await ledger.addTenant('other')
      for (let count = 0; count < 3; count++) await ledger.escrow(await ledger.addLink())
      await ledger.escrow(await ledger.addLink({ tenant: 'other' }))
      await ledger.addLink()

      expect(await ledger.links.backlog('acme', 10)).toBe(3)
      expect(await ledger.links.backlog('acme', 2)).toBe(2)
    })

    test('finished links and links that need attention are not in the backlog', async () => {
      await ledger.finish(await ledger.escrow(await ledger.addLink()))
      await ledger.move(await ledger.escrow(await ledger.addLink()), 'needs_attention', { resumeFrom: 'escrowed' })

      expect(await ledger.links.backlog('acme', 10)).toBe(0)
    })

    test('iterates by ID over links that have needed attention for too long', async () => {
      const stop = async (id: string) =>
        ledger.move(await ledger.escrow(await ledger.addLink({}, { id })), 'needs_attention', {
          resumeFrom: 'escrowed',
        })
      for (const id of ['lnk_1', 'lnk_2', 'lnk_3']) await stop(id)
      await ledger.addLink({}, { id: 'lnk_0' })
      await ledger.pass(3_600)
      await stop('lnk_4')

      const first = await ledger.links.stalledFor(1_800, { after: '', limit: 2 })
      const rest = await ledger.links.stalledFor(1_800, { after: 'lnk_2', limit: 2 })

      expect([first, rest].map((links) => links.map(({ id }) => id))).toEqual([['lnk_1', 'lnk_2'], ['lnk_3']])
    })

    test('returns the newest settled links of an integration, optionally of one tenant', async () => {
      await ledger.addTenant('globex')
      const settle = async (id: string, session = {}) =>
        ledger.move(await ledger.addLink(session, { id }), 'denied', { cause: 'consent_denied' })
      await settle('lnk_1')
      await settle('lnk_2', { tenant: 'globex' })
      await settle('lnk_3', { integration: 'mail' })
      await settle('lnk_4')
      await ledger.addLink({}, { id: 'lnk_5' })
      const latest = async (tenant: string | undefined, limit: number) =>
        (await ledger.links.latestSettled({ integration: 'files', tenant, limit })).map(({ id }) => id)

      expect([await latest(undefined, 2), await latest('acme', 5)]).toEqual([
        ['lnk_4', 'lnk_2'],
        ['lnk_4', 'lnk_1'],
      ])
    })

    test('A3: finds another consent of the same user that is still being processed', async () => {
      await ledger.addTenant('globex')
      const consentAgain = async (id: string, session = {}) =>
        ledger.move(await ledger.addLink(session, { id }), 'exchanging', {})
      const link = await ledger.addLink({}, { id: 'lnk_2' })
      await consentAgain('lnk_3', { tenant: 'globex' })
      await consentAgain('lnk_4', { integration: 'mail' })
      await consentAgain('lnk_5', { endUser: { id: 'user-2' } })
      await ledger.addLink({}, { id: 'lnk_6' })
      const { tenant, integration, endUser } = link
      const isUnderWay = (more: { exceptLink?: string; exceptConnection?: string }) =>
        ledger.links.hasConsentUnderWay({ tenant, integration, endUserId: endUser.id, ...more })
      const before = await isUnderWay({ exceptLink: link.id })
      const again = await consentAgain('lnk_1')

      expect([before, await isUnderWay({ exceptLink: link.id })]).toEqual([false, true])
      expect(await isUnderWay({ exceptLink: again.id })).toBe(false)
      expect(await isUnderWay({ exceptConnection: again.connectionId })).toBe(false)
    })
  })

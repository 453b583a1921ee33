import { beforeEach, describe, expect, test } from 'vitest'
import type { ConnectSession } from '../../../src/onboarding/domain/connect-session.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const sessionPromises = ({ ledger: opened, racing }: Contract) =>
  describe('connect sessions', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const cancel = ({ id }: Pick<ConnectSession, 'id'>) => ledger.sessions.cancel(id, auditEntry('session.cancelled'))

    test('finds a session only by its ID or the digest of its token', async () => {
      const { token, ...session } = await ledger.addSession()

      expect(await ledger.sessions.find(session.id)).toEqual(session)
      expect(await ledger.sessions.byToken(ledger.tokens.digest(token))).toEqual(session)
      expect(await ledger.sessions.byToken(token)).toBeUndefined()
    })

    test('rejects a session for an unknown tenant', async () => {
      await expect(ledger.addSession({ tenant: 'nobody' })).rejects.toThrow()
    })

    test('a session expires by the ledger’s clock', async () => {
      const { id } = await ledger.addSession({ ttlSeconds: 600 })

      const early = await ledger.sessions.find(id)
      await ledger.pass(601)

      expect([early?.expired, (await ledger.sessions.find(id))?.expired]).toEqual([false, true])
    })

    test('a session contains the link it started', async () => {
      const session = await ledger.addSession()
      const link = await ledger.openLink(session)

      expect((await ledger.sessions.find(session.id))?.linkId).toBe(link.id)
    })

    test('cancels and audits a session once', async () => {
      const session = await ledger.addSession()

      const cancelled = [await cancel(session), await cancel(session)]

      expect(cancelled).toEqual([true, false])
      expect((await ledger.sessions.find(session.id))?.cancelledAt).toBeInstanceOf(Date)
      expect((await ledger.noted()).filter(({ action }) => action === 'session.cancelled')).toHaveLength(1)
    })

    test('a started session can no longer be cancelled', async () => {
      const session = await ledger.addSession()
      await ledger.openLink(session)

      expect(await cancel(session)).toBe(false)
      expect((await ledger.sessions.find(session.id))?.cancelledAt).toBeUndefined()
    })

    test('a re-link session can still be cancelled after its user declined', async () => {
      const connection = await ledger.addConnection()
      const session = await ledger.addSession({ connectionId: connection.id })
      await ledger.move(await ledger.openLink(session), 'denied', { cause: 'consent_denied' })

      expect(await cancel(session)).toBe(true)
    })

    test('a re-link session that allows another account is used up by its first start, even if the user declined', async () => {
      const connection = await ledger.addConnection()
      const session = await ledger.addSession({ connectionId: connection.id, allowOtherAccount: true })
      await ledger.move(await ledger.openLink(session), 'denied', { cause: 'consent_denied' })

      expect(await cancel(session)).toBe(false)
    })

    test('a session that could not start keeps its latest cause', async () => {
      const { id } = await ledger.addSession()
      await ledger.sessions.noteCause(id, 'provider_unavailable')
      await ledger.sessions.noteCause(id, 'mcp_metadata_unusable')

      expect((await ledger.sessions.find(id))?.cause).toBe('mcp_metadata_unusable')
    })

    test('archiving a failed link lets its session start again under the same URL', async () => {
      const connection = await ledger.addConnection()
      const session = await ledger.addSession({ connectionId: connection.id })
      const first = await ledger.move(await ledger.openLink(session), 'denied', { cause: 'consent_denied' })

      await ledger.sessions.archiveFailedLink({ ...session, linkId: first.id }, ledger.tokens.id('ses'))
      const second = await ledger.openLink(session)

      expect((await ledger.sessions.byToken(ledger.tokens.digest(session.token)))?.linkId).toBe(second.id)
    })

    test('an archived link gets its own cancelled session', async () => {
      const connection = await ledger.addConnection()
      const session = await ledger.addSession({ connectionId: connection.id })
      const link = await ledger.move(await ledger.openLink(session), 'denied', { cause: 'consent_denied' })
      const aside = ledger.tokens.id('ses')

      await ledger.sessions.archiveFailedLink({ ...session, linkId: link.id }, aside)

      expect((await ledger.links.find(link.id))?.sessionId).toBe(aside)
      expect((await ledger.sessions.find(aside))?.cancelledAt).toBeInstanceOf(Date)
      expect((await ledger.sessions.find(session.id))?.linkId).toBeUndefined()
    })

    racing('of a concurrent start and cancel of a session, one succeeds', async () => {
      for (let round = 0; round < 10; round++) {
        const session = await ledger.addSession()
        const [link, cancelled] = await Promise.all([
          ledger.links.open(ledger.newLink(session), auditEntry('link.started')),
          cancel(session),
        ])

        expect([link !== undefined, cancelled].filter(Boolean)).toHaveLength(1)
      }
    })

    test.each([
      ['with a known account', {}, {}, true],
      ['with a known account that allows any other', {}, { allowOtherAccount: true }, false],
      ['without a known account', { account: undefined }, {}, false],
    ])('a re-link of a connection %s', async (_of, changes, terms, isPinned) => {
      const connection = await ledger.addConnection({}, changes)
      const session = await ledger.addSession({ connectionId: connection.id, ...terms })
      await ledger.move(await ledger.openLink(session), 'cancelled', { cause: 'user_cancelled' })

      expect(session.isPinned).toBe(isPinned)
      expect((await ledger.sessions.find(session.id))?.isPinned).toBe(isPinned)
      expect(await cancel(session)).toBe(isPinned)
    })

    test('a session with choices has no integration until the user starts one', async () => {
      const session = await ledger.addSession({ integration: undefined, choices: ['files', 'mail'] })
      const before = await ledger.sessions.find(session.id)
      const link = await ledger.openLink(session, { integration: 'mail' })

      expect(before).toMatchObject({ choices: ['files', 'mail'] })
      expect([session.integration, before?.integration]).toEqual([undefined, undefined])
      expect(await ledger.sessions.byToken(ledger.tokens.digest(session.token))).toMatchObject({
        integration: 'mail',
        choices: ['files', 'mail'],
        linkId: link.id,
      })
    })

    test('a session with choices is open for all of them again after its link is archived', async () => {
      const session = await ledger.addSession({ integration: undefined, choices: [] })
      await ledger.move(await ledger.openLink(session), 'denied')
      const started = await ledger.sessions.find(session.id)
      await ledger.sessions.archiveFailedLink(started!, 'ses_aside')

      expect((await ledger.sessions.find(session.id))?.integration).toBeUndefined()
      expect(await ledger.sessions.find('ses_aside')).toMatchObject({ integration: 'files', choices: [] })
    })
  })

import { beforeEach, describe, expect, test } from 'vitest'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const manageSessionPromises = ({ ledger: opened, racing }: Contract) =>
  describe('manage sessions', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const add = (more: { ttlSeconds?: number; openWithinSeconds?: number } = {}) =>
      ledger.manageSessions.create(
        {
          ...{ id: 'mng_1', tenant: 'acme', endUser: { id: 'user-1', locale: 'de' }, returnUrl: undefined },
          ...{ ttlSeconds: 1_800, openWithinSeconds: 300, ...more },
        },
        'digest of the token',
        auditEntry('manage_session.minted'),
      )
    const open = (fresh: string, known: string[] = []) =>
      ledger.manageSessions.open('digest of the token', { known, fresh })

    test('stores and audits a manage session', async () => {
      const made = await add()

      expect(made).toMatchObject({ endUser: { id: 'user-1', locale: 'de' }, browser: undefined, expired: false })
      expect(await ledger.manageSessions.find('mng_1')).toEqual(made)
      expect(await ledger.manageSessions.byToken('digest of the token')).toEqual(made)
      expect(await ledger.manageSessions.byToken('another digest')).toBeUndefined()
      expect((await ledger.noted()).map(({ action }) => action)).toContain('manage_session.minted')
    })

    test('the first browser owns the session and can open it again', async () => {
      await add()

      expect((await open('first'))?.browser).toBe('first')
      expect(await open('second')).toBeUndefined()
      expect((await open('third', ['other', 'first']))?.browser).toBe('first')
      expect((await ledger.manageSessions.find('mng_1'))?.browser).toBe('first')
    })

    racing('one of many concurrent browsers opens it', async () => {
      await add()

      const all = await Promise.all(Array.from({ length: 8 }, (_, at) => open(`browser-${at}`)))

      expect(all.filter((session) => session !== undefined)).toHaveLength(1)
    })

    test('cannot be opened after its deadline', async () => {
      await add()
      await ledger.pass(301)

      expect(await open('late')).toBeUndefined()
    })

    test('the owning browser can return until the session expires', async () => {
      await add()
      await open('first')
      await ledger.pass(1_000)
      const during = await open('fresh', ['first'])
      await ledger.pass(1_000)

      expect(during?.browser).toBe('first')
      expect(await open('fresh', ['first'])).toBeUndefined()
      expect((await ledger.manageSessions.find('mng_1'))?.expired).toBe(true)
    })

    test('a revoked session cannot be opened and is revoked once', async () => {
      await add()
      await open('first')

      const revoked = [
        await ledger.manageSessions.revoke('mng_1', auditEntry('manage_session.revoked')),
        await ledger.manageSessions.revoke('mng_1', auditEntry('manage_session.revoked')),
      ]

      expect(revoked).toEqual([true, false])
      expect(await open('fresh', ['first'])).toBeUndefined()
      expect((await ledger.manageSessions.find('mng_1'))?.revokedAt).toBeInstanceOf(Date)
    })

    test('an unknown token opens nothing', async () => {
      await add()

      expect(await ledger.manageSessions.open('another', { known: [], fresh: 'first' })).toBeUndefined()
    })

    test('deletes a session a day after it expires', async () => {
      await add({ ttlSeconds: 60 })
      await ledger.pass(80_000)
      await ledger.manageSessions.forgetOld()
      const kept = await ledger.manageSessions.find('mng_1')
      await ledger.pass(10_000)
      await ledger.manageSessions.forgetOld()

      expect(kept).toBeDefined()
      expect(await ledger.manageSessions.find('mng_1')).toBeUndefined()
    })
  })

import { beforeEach, describe, expect, test } from 'vitest'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const grantPromises = ({ ledger: opened }: Contract) =>
  describe('stored grants', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const account = { id: 'account-1', label: 'user@files.example' }
    const consent = { integration: 'files', tenant: 'acme', account, clientId: 'client-1' }
    const sealedIn = async (id: string) => ({
      current: (await ledger.storedGrants.find(id, 'current'))?.sealed,
      previous: (await ledger.storedGrants.find(id, 'previous'))?.sealed,
    })

    test('moves the envelope from escrow to the current grant', async () => {
      const link = await ledger.finish(await ledger.escrow(await ledger.addLink(), 'grant'))

      const kept = await ledger.storedGrants.find(link.connectionId, 'current')

      expect(kept).toMatchObject({
        linkId: link.id,
        sealed: 'sealed grant',
        clientId: 'client-1',
        keepUntil: undefined,
      })
      expect(kept?.fingerprint).toMatch(/^[0-9a-f]+$/)
      expect(await ledger.secrets.escrow(link.id)).toBeUndefined()
    })

    test('without stored grants, only the fingerprint is kept', async () => {
      const connection = await ledger.addConnection({}, {}, { keepGrant: false })

      const kept = await ledger.storedGrants.find(connection.id, 'current')

      expect(kept).toMatchObject({ sealed: undefined, trialRefresh: undefined })
      expect(kept?.fingerprint).toBeDefined()
    })

    test('the trial refresh moves along with the grant', async () => {
      const escrowed = await ledger.escrow(await ledger.addLink())
      await ledger.links.keepTrialRefresh(escrowed, 'refreshed')
      await ledger.finish(escrowed)

      expect((await ledger.storedGrants.find(escrowed.connectionId, 'current'))?.trialRefresh).toBe('refreshed')
    })

    test('keeps the previous grant after a re-link', async () => {
      const connection = await ledger.addConnection()
      await ledger.relink(connection)

      expect(await sealedIn(connection.id)).toEqual({ current: 'sealed second grant', previous: 'sealed first grant' })
    })

    test('wipes the previous grant immediately if the re-link keeps none', async () => {
      const connection = await ledger.addConnection()
      await ledger.relink(connection, {}, { previousSeconds: 0 })

      expect(await sealedIn(connection.id)).toEqual({ current: 'sealed second grant', previous: undefined })
    })

    test('keeps only one previous grant', async () => {
      const connection = await ledger.addConnection()
      await ledger.relink(connection)
      const first = await ledger.storedGrants.find(connection.id, 'previous')
      await ledger.relink(connection)

      const previous = await ledger.storedGrants.find(connection.id, 'previous')
      expect(previous?.linkId).not.toBe(first?.linkId)
      expect(previous?.sealed).toBe('sealed second grant')
    })

    test('hides an expired grant before it is wiped', async () => {
      const connection = await ledger.addConnection()
      await ledger.relink(connection, {}, { previousSeconds: 600 })
      await ledger.pass(601)

      expect(await sealedIn(connection.id)).toEqual({ current: 'sealed second grant', previous: undefined })
    })

    test('returns expired grants oldest first, without those already wiped', async () => {
      const [one, two] = [await ledger.addConnection(), await ledger.addConnection()]
      await ledger.relink(two, {}, { previousSeconds: 600 })
      await ledger.relink(one, {}, { previousSeconds: 300 })
      await ledger.pass(1_000)

      const expired = await ledger.storedGrants.expired(10)
      for (const { linkId } of expired) await ledger.storedGrants.wipe(linkId)

      expect(expired.map(({ connectionId }) => connectionId)).toEqual([one.id, two.id])
      expect(await ledger.storedGrants.expired(10)).toEqual([])
    })

    test('the current grant never expires', async () => {
      await ledger.addConnection()
      await ledger.pass(100_000_000)

      expect(await ledger.storedGrants.expired(10)).toEqual([])
    })

    test('a trial refresh replaces the previous one', async () => {
      const connection = await ledger.addConnection()
      const grant = await ledger.storedGrants.find(connection.id, 'current')

      await ledger.storedGrants.keepTrialRefresh(grant!.linkId, 'refreshed')
      await ledger.storedGrants.keepTrialRefresh(grant!.linkId, 'refreshed again')

      expect((await ledger.storedGrants.find(connection.id, 'current'))?.trialRefresh).toBe('refreshed again')
    })

    test('two connections with one account and client share its consent', async () => {
      const [one] = [await ledger.addConnection(), await ledger.addConnection()]

      expect(await ledger.storedGrants.sharesConsent({ ...consent, except: one.id })).toBe(true)
    })

    test('T4: a claimed account shares its consent only within its tenant', async () => {
      const claimed = { id: 'account-9', label: 'claimed', claimed: true } as const
      await ledger.addConnection({}, { account: claimed })
      const asked = { ...consent, account: { id: 'account-9', label: 'known' } }

      expect(await ledger.storedGrants.sharesConsent({ ...asked, tenant: 'globex' })).toBe(false)
      expect(await ledger.storedGrants.countLive({ ...asked, tenant: 'globex' })).toBe(0)
      expect(await ledger.storedGrants.sharesConsent(asked)).toBe(true)
    })

    test('T4: a claimed account does not reveal connections of other tenants', async () => {
      await ledger.addConnection()
      const claimed = { ...consent, account: { ...consent.account, claimed: true } } as const

      expect(await ledger.storedGrants.sharesConsent({ ...consent, tenant: 'globex' })).toBe(true)
      expect(await ledger.storedGrants.sharesConsent({ ...claimed, tenant: 'globex' })).toBe(false)
    })

    test('a connection does not share consent with itself', async () => {
      const { id } = await ledger.addConnection()

      expect(await ledger.storedGrants.sharesConsent({ ...consent, except: id })).toBe(false)
    })

    test('counts live grants by account and client, including previous ones', async () => {
      const connection = await ledger.addConnection()
      await ledger.addConnection()
      await ledger.relink(connection)

      expect(await ledger.storedGrants.countLive(consent)).toBe(3)
      expect(await ledger.storedGrants.countLive({ ...consent, account: { id: 'account-2', label: 'b' } })).toBe(0)
      expect(await ledger.storedGrants.countLive({ ...consent, clientId: 'client-2' })).toBe(0)
    })

    test('R1: all grants of one account to one client are one consent, across integrations', async () => {
      await ledger.addConnection()

      expect(await ledger.storedGrants.sharesConsent({ ...consent, integration: 'mail' })).toBe(true)
    })

    test('R7: a grant keeps the client it was issued to', async () => {
      const before = {
        clientId: 'client-before',
        issuer: 'https://one.example',
        tokenEndpoint: 'https://one.example/t',
      }
      const escrowed = await ledger.escrow(await ledger.addLink(), 'granted', before)
      expect(await ledger.secrets.escrow(escrowed.id)).toMatchObject(before)

      const { connectionId } = await ledger.finish(escrowed, {}, { issuer: 'https://other.example' })

      expect(await ledger.storedGrants.find(connectionId, 'current')).toMatchObject(before)
    })

    test.each([
      ['another issuer', { issuer: 'https://other.example' }, false],
      ['another token endpoint', { tokenEndpoint: 'https://other.example/t' }, false],
      [
        'another issuer with the same endpoint',
        { issuer: 'https://other.example', tokenEndpoint: 'https://one.example/t' },
        true,
      ],
      ['the same issuer', { issuer: 'https://one.example' }, true],
      ['a profile without an issuer or endpoint', {}, true],
    ])('R8: whether the same client ID and account share consent at %s', async (_at, origin, isShared) => {
      await ledger.addConnection({}, {}, { issuer: 'https://one.example', tokenEndpoint: 'https://one.example/t' })

      expect(await ledger.storedGrants.sharesConsent({ ...consent, integration: 'mail', ...origin })).toBe(isShared)
      expect(await ledger.storedGrants.countLive({ ...consent, ...origin })).toBe(isShared ? 1 : 0)
    })

    test('R8: profiles without a common field share consent', async () => {
      await ledger.addConnection({}, {}, { issuer: 'https://one.example' })

      const other = { ...consent, tokenEndpoint: 'https://other.example/t' }
      expect(await ledger.storedGrants.sharesConsent(other)).toBe(true)
    })

    test('another account or client has its own consent', async () => {
      await ledger.addConnection()

      expect(await ledger.storedGrants.sharesConsent({ ...consent, account: { id: 'account-2', label: 'b' } })).toBe(
        false,
      )
      expect(await ledger.storedGrants.sharesConsent({ ...consent, clientId: 'client-2' })).toBe(false)
    })
  })

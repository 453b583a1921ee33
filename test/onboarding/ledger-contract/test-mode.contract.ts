import { beforeEach, describe, expect, test } from 'vitest'
import { addBroken } from '../../support/memory/broken-connections.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const testModePromises = ({ ledger: opened }: Contract) =>
  describe('test mode', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      await ledger.addTenant('test_acme')
      for (const tenant of ['acme', 'test_acme']) await addBroken(ledger, { tenant })
    })

    const page = { cursor: undefined, limit: 100 }
    const anyLink = { tenant: undefined, status: undefined, cause: undefined, ...page }
    const anyConnection = { ...anyLink, integration: undefined, endUserId: undefined }
    const broken = { cause: 'grant_revoked', tenant: undefined, integration: undefined } as const
    const owners = (rows: ReadonlyArray<{ tenant: string }>) => rows.map(({ tenant }) => tenant).sort()

    test.each([
      [false, ['acme']],
      [true, ['test_acme']],
      [undefined, ['acme', 'test_acme']],
    ])('lists of all tenants with test mode %s contain those of %j', async (testMode, expected) => {
      const tenants = await ledger.tenants.list({ ...page, testMode })
      const links = await ledger.links.list({ ...anyLink, testMode })
      const connections = await ledger.connections.list({ ...anyConnection, testMode })
      const needing = await ledger.campaigns.needingRelink({ ...broken, testMode, limit: 100 })

      expect(tenants.data.map(({ id }) => id)).toEqual(expected)
      expect(owners(links.data)).toEqual(expected)
      expect(owners(connections.data)).toEqual(expected)
      expect(owners(needing)).toEqual(expected)
      expect(await ledger.campaigns.countNeedingRelink({ ...broken, testMode })).toBe(expected.length)
    })

    test('a key has a mode and shows it in its prefix', async () => {
      const actor = { kind: 'operator' } as const
      const live = await ledger.apiKeys.create({ name: 'live', tenant: undefined }, actor)
      const testing = await ledger.apiKeys.create({ name: 'test', tenant: 'test_acme', testMode: true }, actor)

      expect(await ledger.apiKeys.caller(live.key)).toMatchObject({ keyId: live.id, testMode: false })
      expect(await ledger.apiKeys.caller(testing.key)).toMatchObject({ tenant: 'test_acme', testMode: true })
      expect(testing.key.reveal()).toMatch(/^cwk_test_[\w-]{43}$/)
      expect(live.key.reveal()).not.toMatch(/^cwk_test_/)
      expect((await ledger.apiKeys.list({ cursor: undefined, limit: 10 })).data).toContainEqual(
        expect.objectContaining({ id: testing.id, testMode: true }),
      )
    })

    test('a session keeps its test outcome', async () => {
      const session = await ledger.addSession({ tenant: 'test_acme', testOutcome: 'denied' })

      expect(await ledger.sessions.find(session.id)).toMatchObject({ testOutcome: 'denied' })
    })
  })

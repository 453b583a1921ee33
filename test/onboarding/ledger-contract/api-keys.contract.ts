import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

const operator = { kind: 'operator' } as const
const anyKeys = { cursor: undefined, limit: 10 }

export const apiKeyPromises = ({ ledger: open }: Contract) =>
  describe('API keys', () => {
    let ledger: Ledger
    beforeEach(() => {
      ledger = open()
    })

    const putTenant = (id: string) =>
      ledger.tenants.put(
        { id, workspace: id, displayName: id, returnUrls: [] },
        new Secret('signing secret'),
        auditEntry('tenant.put'),
      )
    const make = (name: string, more: { tenant?: string; expiresAt?: Date } = {}) =>
      ledger.apiKeys.create({ name, tenant: undefined, ...more }, operator)

    test('finds a key, and its tenant, only by its secret', async () => {
      await putTenant('acme')
      const whole = await make('ops')
      const limited = await make('acme', { tenant: 'acme' })

      expect(await ledger.apiKeys.caller(whole.key)).toEqual({ keyId: whole.id, tenant: undefined, testMode: false })
      expect(await ledger.apiKeys.caller(limited.key)).toEqual({ keyId: limited.id, tenant: 'acme', testMode: false })
      expect(await ledger.apiKeys.caller(new Secret(limited.id))).toBeUndefined()
    })

    test('a revoked key authenticates nothing, cannot be revoked again and stays listed', async () => {
      const { id, key } = await make('ops')
      const revoke = () => ledger.apiKeys.revoke(id, operator, 'leaked')

      const revoked = [await revoke(), await revoke()]

      expect(revoked).toEqual([true, false])
      expect(await ledger.apiKeys.caller(key)).toBeUndefined()
      const { data } = await ledger.apiKeys.list(anyKeys)
      expect(data).toMatchObject([{ id, name: 'ops', lastFour: key.reveal().slice(-4) }])
      expect(data[0]?.revokedAt).toBeInstanceOf(Date)
      const noted = (await ledger.noted()).filter(({ action }) => action === 'key.revoked')
      expect(noted).toHaveLength(1)
    })

    test('an expired key authenticates nothing', async () => {
      const [past, future] = [new Date('2020-01-01'), new Date('2120-01-01')]
      const expired = await make('expired', { expiresAt: past })
      const current = await make('current', { expiresAt: future })

      expect(await ledger.apiKeys.caller(expired.key)).toBeUndefined()
      expect(await ledger.apiKeys.caller(current.key)).toMatchObject({ keyId: current.id })
      expect(await ledger.apiKeys.find(current.id)).toMatchObject({ expiresAt: future, revokedAt: undefined })
    })

    test('records the last use of a key, and none for an unused key', async () => {
      const [used, idle] = [await make('used'), await make('idle')]
      await ledger.apiKeys.caller(used.key)
      await ledger.apiKeys.recordUses()

      expect((await ledger.apiKeys.find(used.id))?.lastUsedAt).toBeInstanceOf(Date)
      expect((await ledger.apiKeys.find(idle.id))?.lastUsedAt).toBeUndefined()

      const before = await ledger.apiKeys.find(used.id)
      await ledger.apiKeys.recordUses()
      expect(await ledger.apiKeys.find(used.id)).toEqual(before)
    })

    test('lists keys newest first, paginated, for all tenants or one', async () => {
      await putTenant('acme')
      const first = await make('first')
      const second = await make('second', { tenant: 'acme' })
      const idsOf = (page: { data: Array<{ id: string }> }) => page.data.map(({ id }) => id)
      const [newest = '', oldest = ''] = [first.id, second.id].sort().reverse()

      const page = await ledger.apiKeys.list({ cursor: undefined, limit: 1 })

      expect(idsOf(page)).toEqual([newest])
      expect(idsOf(await ledger.apiKeys.list({ cursor: page.nextCursor, limit: 1 }))).toEqual([oldest])
      expect(idsOf(await ledger.apiKeys.list({ ...anyKeys, tenant: 'acme' }))).toEqual([second.id])
      expect(await ledger.apiKeys.find('key_nobody')).toBeUndefined()
    })
  })

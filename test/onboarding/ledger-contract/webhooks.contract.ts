import { beforeEach, describe, expect, test } from 'vitest'
import type { Webhook } from '../../../src/onboarding/domain/webhooks/webhook.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const webhookPromises = ({ ledger: opened, racing }: Contract) =>
  describe('webhooks', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const tryCreate = (max = 10, tenant = 'acme') =>
      ledger.webhooks.create(
        { id: ledger.tokens.id('whk'), tenant, url: 'https://hooks.example/', events: ['link.failed'] },
        'sealed secret',
        max,
        auditEntry('webhook.created', { tenant }),
      )
    const create = async () => (await tryCreate()) as Webhook
    const rotate = (at: Webhook, sealed: string, maxEarlier = 5) =>
      ledger.webhooks.rotateSecret(
        at,
        sealed,
        { overlapSeconds: 600, maxEarlier },
        auditEntry('webhook.secret_rotated'),
      )
    const actions = async () => (await ledger.noted()).map(({ action }) => action)

    test('a webhook is visible only to its tenant', async () => {
      const webhook = await create()

      expect(webhook).toMatchObject({
        tenant: 'acme',
        status: 'active',
        events: ['link.failed'],
        previousSecretsExpireAt: [],
      })
      expect(await ledger.webhooks.find('acme', webhook.id)).toEqual(webhook)
      expect(await ledger.webhooks.find('other', webhook.id)).toBeUndefined()
      expect(await ledger.webhooks.list('other')).toEqual([])
    })

    test('a tenant has no more webhooks than it may have, and one too many is not on record', async () => {
      await tryCreate(1)

      expect(await tryCreate(1)).toBeUndefined()
      expect((await actions()).filter((action) => action === 'webhook.created')).toHaveLength(1)
    })

    racing('the limit holds for those that are made at once', async () => {
      const made = await Promise.all(Array.from({ length: 6 }, () => tryCreate(2)))

      expect(made.filter(Boolean)).toHaveLength(2)
    })

    test('another tenant’s webhooks do not count', async () => {
      await ledger.addTenant('other')
      await tryCreate(1, 'other')

      expect(await tryCreate(1)).toBeDefined()
    })

    test('a webhook is deleted once, by its own tenant', async () => {
      const { id } = await create()
      const remove = (tenant: string) => ledger.webhooks.delete(tenant, id, auditEntry('webhook.deleted'))

      const deleted = [await remove('other'), await remove('acme'), await remove('acme')]

      expect(deleted).toEqual([false, true, false])
      expect((await actions()).filter((action) => action === 'webhook.deleted')).toHaveLength(1)
    })

    test('a rotated secret stays good for a while, and the webhook says until when', async () => {
      const webhook = await create()
      await rotate(webhook, 'second')

      const during = await ledger.webhooks.find('acme', webhook.id)
      await ledger.pass(601)

      expect(during?.previousSecretsExpireAt).toHaveLength(1)
      expect((await ledger.webhooks.find('acme', webhook.id))?.previousSecretsExpireAt).toEqual([])
    })

    test('earlier secrets end one after the other, the oldest first', async () => {
      const webhook = await create()
      await rotate(webhook, 'second')
      await ledger.pass(60)
      await rotate(webhook, 'third')

      const [first, second] = (await ledger.webhooks.find('acme', webhook.id))?.previousSecretsExpireAt ?? []

      expect(first!.getTime()).toBeLessThan(second!.getTime())
    })

    test('there is an end to how many secrets sign at once', async () => {
      const webhook = await create()

      const rotated = [await rotate(webhook, 'second', 1), await rotate(webhook, 'third', 1)]
      await ledger.pass(601)

      expect([...rotated, await rotate(webhook, 'third', 1)]).toEqual([true, false, true])
    })

    test('a webhook of another tenant is not rotated', async () => {
      const webhook = await create()

      expect(await rotate({ ...webhook, tenant: 'other' }, 'second')).toBe(false)
      expect(await actions()).not.toContain('webhook.secret_rotated')
    })

    test('forgetting old secrets leaves those that still sign', async () => {
      const webhook = await create()
      await rotate(webhook, 'second')
      await ledger.pass(400)
      await rotate(webhook, 'third')
      await ledger.pass(300)

      await ledger.webhooks.forgetSecrets()

      expect((await ledger.webhooks.find('acme', webhook.id))?.previousSecretsExpireAt).toHaveLength(1)
    })

    test('a webhook is disabled once and enabled once', async () => {
      const webhook = await create()
      const disable = () => ledger.webhooks.disable(webhook, auditEntry('webhook.disabled'))
      const enable = () => ledger.webhooks.enable(webhook, auditEntry('webhook.enabled'))

      const done = [await disable(), await disable(), await enable(), await enable()]

      expect(done).toEqual([true, false, true, false])
      expect((await actions()).slice(-2)).toEqual(['webhook.disabled', 'webhook.enabled'])
      expect((await ledger.webhooks.find('acme', webhook.id))?.status).toBe('active')
    })
  })

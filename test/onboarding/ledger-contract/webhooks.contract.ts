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

    test('limits the webhooks per tenant, and does not audit a rejected one', async () => {
      await tryCreate(1)

      expect(await tryCreate(1)).toBeUndefined()
      expect((await actions()).filter((action) => action === 'webhook.created')).toHaveLength(1)
    })

    racing('the limit applies to concurrent creations', async () => {
      const made = await Promise.all(Array.from({ length: 6 }, () => tryCreate(2)))

      expect(made.filter(Boolean)).toHaveLength(2)
    })

    test('another tenant’s webhooks do not count', async () => {
      await ledger.addTenant('other')
      await tryCreate(1, 'other')

      expect(await tryCreate(1)).toBeDefined()
    })

    test('deletes a webhook once, and only by its own tenant', async () => {
      const { id } = await create()
      const remove = (tenant: string) => ledger.webhooks.delete(tenant, id, auditEntry('webhook.deleted'))

      const deleted = [await remove('other'), await remove('acme'), await remove('acme')]

      expect(deleted).toEqual([false, true, false])
      expect((await actions()).filter((action) => action === 'webhook.deleted')).toHaveLength(1)
    })

    test('a rotated secret stays valid until its reported expiry', async () => {
      const webhook = await create()
      await rotate(webhook, 'second')

      const during = await ledger.webhooks.find('acme', webhook.id)
      await ledger.pass(601)

      expect(during?.previousSecretsExpireAt).toHaveLength(1)
      expect((await ledger.webhooks.find('acme', webhook.id))?.previousSecretsExpireAt).toEqual([])
    })

    test('previous secrets expire one by one, oldest first', async () => {
      const webhook = await create()
      await rotate(webhook, 'second')
      await ledger.pass(60)
      await rotate(webhook, 'third')

      const [first, second] = (await ledger.webhooks.find('acme', webhook.id))?.previousSecretsExpireAt ?? []

      expect(first!.getTime()).toBeLessThan(second!.getTime())
    })

    test('limits how many secrets sign at once', async () => {
      const webhook = await create()

      const rotated = [await rotate(webhook, 'second', 1), await rotate(webhook, 'third', 1)]
      await ledger.pass(601)

      expect([...rotated, await rotate(webhook, 'third', 1)]).toEqual([true, false, true])
    })

    test('cannot rotate another tenant’s webhook', async () => {
      const webhook = await create()

      expect(await rotate({ ...webhook, tenant: 'other' }, 'second')).toBe(false)
      expect(await actions()).not.toContain('webhook.secret_rotated')
    })

    test('deleting old secrets keeps those that still sign', async () => {
      const webhook = await create()
      await rotate(webhook, 'second')
      await ledger.pass(400)
      await rotate(webhook, 'third')
      await ledger.pass(300)

      await ledger.webhooks.forgetSecrets()

      expect((await ledger.webhooks.find('acme', webhook.id))?.previousSecretsExpireAt).toHaveLength(1)
    })

    test('disables and enables a webhook once each', async () => {
      const webhook = await create()
      const disable = () => ledger.webhooks.disable(webhook, auditEntry('webhook.disabled'))
      const enable = () => ledger.webhooks.enable(webhook, auditEntry('webhook.enabled'))

      const done = [await disable(), await disable(), await enable(), await enable()]

      expect(done).toEqual([true, false, true, false])
      expect((await actions()).slice(-2)).toEqual(['webhook.disabled', 'webhook.enabled'])
      expect((await ledger.webhooks.find('acme', webhook.id))?.status).toBe('active')
    })
  })

import { beforeEach, describe, expect, test } from 'vitest'
import type { ClaimedDelivery, DueDeliveries } from '../../../src/onboarding/domain/ports/webhooks.ts'
import type { TenantEventName } from '../../../src/onboarding/domain/tenant-event.ts'
import type { Webhook } from '../../../src/onboarding/domain/webhooks/webhook.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const deliveryPromises = ({ ledger: opened, racing }: Contract) =>
  describe('deliveries', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const many = { limit: 100, perTenant: 100, underWay: {} }
    const all = { tenant: 'acme', status: undefined, webhook: undefined, cursor: undefined, limit: 100 }
    const day = 24 * 60 * 60
    const addWebhook = async (events: TenantEventName[] = ['link.failed'], tenant = 'acme'): Promise<Webhook> => {
      const webhook = { id: ledger.tokens.id('whk'), tenant, url: `https://${tenant}.example/hooks`, events }
      return (await ledger.webhooks.create(webhook, 'first secret', 10, auditEntry('webhook.created'))) as Webhook
    }
    const happen = async (tenant = 'acme') => {
      const event = { id: ledger.tokens.id('evt'), name: 'link.failed', payload: { tenant } } as const
      await ledger.move(await ledger.addLink({ tenant }), 'failed', { event })
      return event
    }
    const happened = async (tenant = 'acme') => {
      await happen(tenant)
      await ledger.deliveries.announce(100)
    }
    const claim = async (query: DueDeliveries = many) => ledger.deliveries.claimDue(query)
    const claimOne = async () => (await claim())[0] as ClaimedDelivery
    const listed = async (query: Partial<Parameters<typeof ledger.deliveries.list>[0]> = {}) =>
      (await ledger.deliveries.list({ ...all, ...query })).data

    test('creates one delivery per webhook that subscribes to the event', async () => {
      const wants = await addWebhook()
      await addWebhook(['link.succeeded'])
      const event = await happen()

      expect(await ledger.deliveries.announce(100)).toBe(1)
      expect(await listed()).toMatchObject([
        { webhook: wants.id, status: 'pending', attempts: 0, event: { id: event.id, name: 'link.failed' } },
      ])
    })

    test('announces an event once', async () => {
      await addWebhook()
      await happened()

      expect(await ledger.deliveries.announce(100)).toBe(0)
      expect(await listed()).toHaveLength(1)
    })

    racing('each event is announced by one of many workers', async () => {
      await addWebhook()
      for (let count = 0; count < 10; count++) await happen()

      await Promise.all(Array.from({ length: 5 }, () => ledger.deliveries.announce(100)))

      expect(await listed()).toHaveLength(10)
    })

    test('a webhook created after an event does not receive it', async () => {
      await happened()
      await addWebhook()

      expect(await ledger.deliveries.announce(100)).toBe(0)
      expect(await listed()).toEqual([])
    })

    test('an event goes only to webhooks of its tenant', async () => {
      await ledger.addTenant('other')
      await addWebhook(['link.failed'], 'other')
      await happened()

      expect(await listed({ tenant: 'other' })).toEqual([])
    })

    test('events for a disabled receiver are recorded but not sent', async () => {
      const webhook = await addWebhook()
      await ledger.webhooks.disable(webhook, auditEntry('webhook.disabled'))
      await happened()

      expect(await listed()).toMatchObject([
        { status: 'dead', failureReason: 'webhook_disabled', nextAttemptAt: undefined },
      ])
      expect(await claim()).toEqual([])
    })

    test('a claimed delivery contains everything needed to send it, and counts as an attempt', async () => {
      const webhook = await addWebhook()
      await happened()

      expect(await claimOne()).toMatchObject({
        webhook: webhook.id,
        url: 'https://acme.example/hooks',
        attempts: 1,
        sealedSecrets: ['first secret'],
        event: { name: 'link.failed', payload: { tenant: 'acme' } },
      })
    })

    test('S2: claims at most the requested number of deliveries whose worker was lost, besides others', async () => {
      await addWebhook()
      for (let count = 0; count < 3; count++) await happened()
      const lost = await claim()
      await ledger.pass(31)
      await happened()

      const beside = await claim({ ...many, suspects: 0 })
      const one = await claim({ ...many, suspects: 1 })

      expect(beside.map(({ claims }) => claims)).toEqual([1])
      expect(one.map(({ claims }) => claims)).toEqual([2])
      expect(lost.map(({ id }) => id)).toContain(one[0]?.id)
    })

    test('S2: postponing or replaying a delivery resets its count of lost workers', async () => {
      await addWebhook()
      await happened()
      const first = await claimOne()
      await ledger.pass(31)
      const second = await claimOne()
      const failed = { failureReason: 'refused', responseStatus: 500 } as const
      await ledger.deliveries.postpone(second, { ...failed, delaySeconds: 1 })
      await ledger.pass(2)
      const third = await claimOne()
      await ledger.deliveries.replay('acme', third.id, auditEntry('webhook.replayed'))

      expect([first, second, third, await claimOne()].map(({ claims }) => claims)).toEqual([1, 2, 1, 1])
    })

    test('signs a message with every valid secret, newest first', async () => {
      const webhook = await addWebhook()
      const rotation = { overlapSeconds: 600, maxEarlier: 5 }
      await ledger.webhooks.rotateSecret(webhook, 'second secret', rotation, auditEntry('webhook.secret_rotated'))
      await ledger.pass(60)
      await ledger.webhooks.rotateSecret(webhook, 'third secret', rotation, auditEntry('webhook.secret_rotated'))
      await happened()

      const both = await claimOne()
      await ledger.pass(560)
      const later = await claimOne()

      expect(both.sealedSecrets).toEqual(['third secret', 'second secret', 'first secret'])
      expect(later.sealedSecrets).toEqual(['third secret', 'second secret'])
    })

    test('a delivery is leased until the next claim', async () => {
      await addWebhook()
      await happened()
      const first = await claimOne()
      await ledger.pass(15)
      const early = await claim()
      await ledger.pass(20)
      const second = await claimOne()

      await ledger.deliveries.delivered(first, 200)

      expect(early).toEqual([])
      expect(second.fence).toBe(first.fence + 1)
      expect(await listed()).toMatchObject([{ status: 'pending', attempts: 2 }])
    })

    racing('each delivery is claimed by one of many workers', async () => {
      await addWebhook()
      for (let count = 0; count < 10; count++) await happen()
      await ledger.deliveries.announce(100)

      const claims = await Promise.all(Array.from({ length: 5 }, () => claim()))

      const ids = claims.flat().map(({ id }) => id)
      expect(ids).toHaveLength(10)
      expect(new Set(ids).size).toBe(10)
    })

    test('limits each tenant’s deliveries in progress, including those that were already running', async () => {
      await addWebhook()
      for (let count = 0; count < 5; count++) await happened()

      expect(await claim({ ...many, perTenant: 3, underWay: { acme: 1 } })).toHaveLength(2)
    })

    test('serves every tenant once before it serves any tenant twice', async () => {
      await ledger.addTenant('other')
      await addWebhook()
      await addWebhook(['link.failed'], 'other')
      for (let count = 0; count < 3; count++) await happened()
      await ledger.pass(1)
      await happened('other')

      const claimed = await claim({ ...many, limit: 2 })

      expect(claimed.map(({ tenant }) => tenant).toSorted()).toEqual(['acme', 'other'])
    })

    test('webhooks of a tenant take turns, so that one receiver does not delay another', async () => {
      const first = await addWebhook()
      for (let count = 0; count < 3; count++) await happened()
      const second = await addWebhook()
      await ledger.pass(1)
      await happened()

      const claimed = await claim({ ...many, perTenant: 2 })

      expect(claimed.map(({ webhook }) => webhook).toSorted()).toEqual([first.id, second.id].toSorted())
    })

    test('a delivered message is not resent', async () => {
      await addWebhook()
      await happened()
      await ledger.deliveries.delivered(await claimOne(), 204)
      await ledger.pass(day)

      const [delivery] = await listed()
      expect(delivery).toMatchObject({ status: 'delivered', responseStatus: 204, nextAttemptAt: undefined })
      expect(delivery?.deliveredAt).toBeInstanceOf(Date)
      expect(await claim()).toEqual([])
    })

    test('a postponed delivery is sent when due and keeps its last error', async () => {
      await addWebhook()
      await happened()
      const outcome = { failureReason: 'refused', responseStatus: 503, delaySeconds: 300 } as const
      await ledger.deliveries.postpone(await claimOne(), outcome)
      await ledger.pass(250)
      const early = await claim()
      await ledger.pass(51)

      expect(early).toEqual([])
      expect(await listed()).toMatchObject([{ status: 'pending', failureReason: 'refused', responseStatus: 503 }])
      expect((await claimOne()).attempts).toBe(2)
    })

    test('a dead delivery is not resent', async () => {
      await addWebhook()
      await happened()
      await ledger.deliveries.markDead(await claimOne(), { failureReason: 'unreachable', responseStatus: undefined })
      await ledger.pass(day)

      expect(await listed()).toMatchObject([
        { status: 'dead', failureReason: 'unreachable', responseStatus: undefined },
      ])
      expect(await claim()).toEqual([])
    })

    test('disabling a webhook ends its pending deliveries, including one being sent', async () => {
      const webhook = await addWebhook()
      await happened()
      const claimed = await claimOne()
      await ledger.webhooks.disable(webhook, auditEntry('webhook.disabled'))

      await ledger.deliveries.postpone(claimed, { failureReason: 'refused', responseStatus: 500, delaySeconds: 5 })
      await ledger.pass(day)

      expect(await listed()).toMatchObject([{ status: 'dead', failureReason: 'webhook_disabled' }])
      expect(await claim()).toEqual([])
    })

    test('a replay starts from scratch', async () => {
      await addWebhook()
      await happened()
      const claimed = await claimOne()
      await ledger.deliveries.delivered(claimed, 200)

      const replayed = await ledger.deliveries.replay('acme', claimed.id, auditEntry('webhook.replayed'))

      expect(replayed).toBe(true)
      expect(await listed()).toMatchObject([{ status: 'pending', attempts: 0, deliveredAt: undefined }])
      expect((await claimOne()).attempts).toBe(1)
    })

    test('a replay of failed deliveries takes the oldest of its webhook, and is audited once', async () => {
      const [webhook, other] = [await addWebhook(), await addWebhook()]
      for (let nth = 0; nth < 3; nth++) await happened()
      for (const each of await claim())
        await ledger.deliveries.markDead(each, { failureReason: 'refused', responseStatus: 500 })
      await happened() // pending
      const dead = (await listed({ status: 'dead', webhook: webhook.id })).map(({ id }) => id).reverse()

      const replayed = await ledger.deliveries.replayDead(webhook, 2, auditEntry('webhook.failed_replayed'))

      expect([dead.length, replayed]).toEqual([3, 2])
      expect(await listed({ status: 'dead', webhook: webhook.id })).toMatchObject([{ id: dead[2] }])
      expect(await listed({ status: 'dead', webhook: other.id })).toHaveLength(3)
      expect((await listed()).find(({ id }) => id === dead[0])).toMatchObject({ status: 'pending', attempts: 0 })
      const actions = (await ledger.noted()).map(({ action }) => action)
      expect(actions.filter((action) => action === 'webhook.failed_replayed')).toHaveLength(1)
    })

    test('failed deliveries of a disabled webhook, or of another tenant, are not replayed', async () => {
      const webhook = await addWebhook()
      await happened()
      await ledger.deliveries.markDead(await claimOne(), { failureReason: 'refused', responseStatus: 500 })
      const replay = (tenant: string) =>
        ledger.deliveries.replayDead({ ...webhook, tenant }, 10, auditEntry('webhook.failed_replayed'))
      const byOther = await replay('other')
      await ledger.webhooks.disable(webhook, auditEntry('webhook.disabled'))

      expect([byOther, await replay('acme')]).toEqual([0, 0])
      expect((await ledger.noted()).map(({ action }) => action)).not.toContain('webhook.failed_replayed')
    })

    test('a replay fences the current sender', async () => {
      await addWebhook()
      await happened()
      const claimed = await claimOne()
      await ledger.deliveries.replay('acme', claimed.id, auditEntry('webhook.replayed'))

      await ledger.deliveries.markDead(claimed, { failureReason: 'refused', responseStatus: 500 })

      expect(await listed()).toMatchObject([{ status: 'pending' }])
    })

    test('rejects and does not audit a replay to a disabled webhook or by another tenant', async () => {
      const webhook = await addWebhook()
      await happened()
      const { id } = await claimOne()
      const byOther = await ledger.deliveries.replay('other', id, auditEntry('webhook.replayed'))
      await ledger.webhooks.disable(webhook, auditEntry('webhook.disabled'))
      const disabled = await ledger.deliveries.replay('acme', id, auditEntry('webhook.replayed'))

      expect([byOther, disabled]).toEqual([false, false])
      expect((await ledger.noted()).map(({ action }) => action)).not.toContain('webhook.replayed')
    })

    test('deleting a webhook deletes only its own deliveries', async () => {
      const [gone, stays] = [await addWebhook(), await addWebhook()]
      await happened()

      await ledger.webhooks.delete('acme', gone.id, auditEntry('webhook.deleted'))

      expect((await listed()).map(({ webhook }) => webhook)).toEqual([stays.id])
    })

    test('lists deliveries newest first, paginated, by status and webhook', async () => {
      const [one, two] = [await addWebhook(), await addWebhook()]
      await happened()
      await ledger.deliveries.delivered(await claimOne(), 200)

      const first = await ledger.deliveries.list({ ...all, limit: 1 })
      const last = await ledger.deliveries.list({ ...all, limit: 1, cursor: first.nextCursor })
      const ids = [...first.data, ...last.data].map(({ id }) => id)

      expect(ids).toEqual(ids.toSorted().toReversed())
      expect([ids.length, last.nextCursor]).toEqual([2, undefined])
      expect(await listed({ status: 'delivered' })).toHaveLength(1)
      expect(await listed({ webhook: one.id })).toHaveLength(1)
      expect(await listed({ webhook: two.id })).toHaveLength(1)
    })

    test('a delivery is visible only to its tenant', async () => {
      await addWebhook()
      await happened()
      const { id } = await claimOne()

      expect(await ledger.deliveries.find('acme', id)).toMatchObject({ id })
      expect(await ledger.deliveries.find('other', id)).toBeUndefined()
    })

    test('deletes old events with their deliveries, and keeps recent ones', async () => {
      await addWebhook()
      await happened()
      await ledger.deliveries.delivered(await claimOne(), 200)
      await ledger.pass(31 * day)
      await happened()

      expect(await ledger.deliveries.forgetOld(30, 100)).toBe(1)
      expect(await listed()).toHaveLength(1)
      expect(await ledger.events()).toHaveLength(1)
    })

    test('keeps an old event until it is announced and delivered', async () => {
      await addWebhook()
      await happened()
      await happen()
      await ledger.pass(31 * day)

      expect(await ledger.deliveries.forgetOld(30, 100)).toBe(0)
      expect(await ledger.events()).toHaveLength(2)
    })
  })

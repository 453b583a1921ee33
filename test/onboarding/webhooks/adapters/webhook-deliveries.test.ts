import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Deliveries, Webhooks } from '../../../../src/onboarding/domain/ports/webhooks.ts'
import { postgresDeliveries } from '../../../../src/onboarding/webhooks/adapters/webhook-deliveries.ts'
import { postgresWebhooks } from '../../../../src/onboarding/webhooks/adapters/webhooks.ts'
import { audited, type LedgerWorld, openLedger } from '../../../support/worlds/ledger.ts'

let ledger: LedgerWorld
let deliveries: Deliveries
let webhooks: Webhooks
let made = 0

beforeAll(async () => {
  ledger = await openLedger()
  deliveries = postgresDeliveries(ledger.pool)
  webhooks = postgresWebhooks(ledger.pool)
  for (const tenant of ['busy', 'loud', 'quiet']) await ledger.addTenant(tenant)
})
beforeEach(async () => {
  await ledger.pool.query('delete from webhooks')
  await ledger.pool.query('delete from outbox')
})
afterAll(() => ledger.close())

const hook = (tenant: string) =>
  webhooks.create(
    { id: `whk_${String(made++).padStart(25, '0')}`, tenant, url: 'https://hooks.example/', events: ['link.failed'] },
    'sealed',
    10,
    audited('webhook.created'),
  )

const events = (tenant: string, count: number) =>
  ledger.pool.query(
    `insert into outbox (id, tenant, event, payload)
     select 'evt_' || $1 || lpad(i::text, 20, '0'), $1, 'link.failed', '{}' from generate_series(1, $2::int) i`,
    [tenant, count],
  )

const all = { limit: 1_000, perTenant: 1_000, underWay: {} }

test('an event becomes one delivery for each webhook, however many workers look for it', async () => {
  await hook('busy')
  await hook('busy')
  await events('busy', 20)

  const counts = await Promise.all(Array.from({ length: 6 }, () => deliveries.announce(500)))

  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20)
  expect(await deliveries.claimDue(all)).toHaveLength(40)
})

test('a delivery is claimed by one worker, however many ask at once', async () => {
  await hook('busy')
  await events('busy', 30)
  await deliveries.announce(500)

  const claims = await Promise.all(Array.from({ length: 6 }, () => deliveries.claimDue({ ...all, limit: 10 })))

  const ids = claims.flat().map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('each tenant has a turn before any has a second one', async () => {
  for (const tenant of ['busy', 'loud', 'quiet']) await hook(tenant)
  await events('busy', 50)
  await events('loud', 50)
  await deliveries.announce(500)
  await ledger.pool.query(`update webhook_deliveries set due_at = due_at - interval '1 hour'`)
  await events('quiet', 1)
  await deliveries.announce(500)

  const claimed = await deliveries.claimDue({ limit: 3, perTenant: 8, underWay: {} })

  expect(claimed.map(({ tenant }) => tenant).sort()).toEqual(['busy', 'loud', 'quiet'])
})

test('what is under way for a tenant counts against its places', async () => {
  await hook('busy')
  await events('busy', 10)
  await deliveries.announce(500)

  const claimed = await deliveries.claimDue({ limit: 64, perTenant: 8, underWay: { busy: 6 } })

  expect(claimed).toHaveLength(2)
})

test('a claimed delivery waits for its lease, and then belongs to whoever claims it next', async () => {
  await hook('busy')
  await events('busy', 1)
  await deliveries.announce(500)
  const [slow] = await deliveries.claimDue(all)
  const early = await deliveries.claimDue(all)
  await ledger.pool.query('update webhook_deliveries set due_at = now()')
  const [quick] = await deliveries.claimDue(all)

  await deliveries.markDead(slow!, { failureReason: 'refused', responseStatus: 500 })
  const afterSlow = await deliveries.find('busy', slow!.id)
  await deliveries.delivered(quick!, 204)

  expect(early).toEqual([])
  expect(afterSlow).toMatchObject({ status: 'pending', attempts: 2 })
  expect(await deliveries.find('busy', slow!.id)).toMatchObject({ status: 'delivered', responseStatus: 204 })
})

test('events of long ago go with their deliveries; what is new, waits or is on its way stays', async () => {
  await hook('busy')
  await events('busy', 3)
  await deliveries.announce(500)
  const [settled, , waiting] = await deliveries.claimDue(all)
  await deliveries.delivered(settled!, 204)
  await ledger.pool.query(`update outbox set created_at = now() - interval '31 days'`)
  await events('quiet', 1)

  const first = await deliveries.forgetOld(30, 1_000)
  const second = await deliveries.forgetOld(30, 1_000)

  expect([first, second]).toEqual([1, 0])
  expect(await deliveries.find('busy', settled!.id)).toBeUndefined()
  expect(await deliveries.find('busy', waiting!.id)).toMatchObject({ status: 'pending' })
  expect((await ledger.pool.query('select count(*) from outbox')).rows).toEqual([{ count: 3 }])
})

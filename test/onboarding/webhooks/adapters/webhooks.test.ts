import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Webhooks } from '../../../../src/onboarding/domain/ports/webhooks.ts'
import { postgresWebhooks } from '../../../../src/onboarding/webhooks/adapters/webhooks.ts'
import { waitFor } from '../../../support/oracles/wait-for.ts'
import { audited, type LedgerWorld, openLedger } from '../../../support/worlds/ledger.ts'

let ledger: LedgerWorld
let webhooks: Webhooks
let asked = 0

beforeAll(async () => {
  ledger = await openLedger()
  webhooks = postgresWebhooks(ledger.pool)
  for (const tenant of ['busy', 'quiet']) await ledger.addTenant(tenant)
})
afterAll(() => ledger.close())

const create = (tenant: string) =>
  webhooks.create(
    { id: `whk_${asked++}`, tenant, url: 'https://hooks.example/', events: ['link.failed'] },
    'sealed',
    10,
    audited('webhook.created'),
  )

/** Blocks inserts of this tenant's webhooks after they were counted. */
async function holdUp(tenant: string) {
  await ledger.pool.query(`
    create function hold_up() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
    create trigger hold_up before insert on webhooks for each row when (new.tenant = '${tenant}')
      execute function hold_up()`)
  const client = await ledger.pool.connect()
  await client.query('select pg_advisory_lock(1)')
  return async () => {
    await client.query('select pg_advisory_unlock(1)')
    client.release()
  }
}

const waiting = async () => {
  const { rowCount } = await ledger.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount
}

test('one of five concurrent requests creates the tenth webhook, without blocking other tenants or links', async () => {
  for (let made = 0; made < 9; made++) await create('busy')
  const goOn = await holdUp('busy')

  const five = Array.from({ length: 5 }, () => create('busy'))
  await waitFor('all five wait', async () => (await waiting()) === 5)
  const meanwhile = [await create('quiet'), await ledger.addLink('busy')]
  await goOn()
  const made = (await Promise.all(five)).filter((webhook) => webhook !== undefined)

  expect(meanwhile).not.toContain(undefined)
  expect(made).toHaveLength(1)
  expect(await webhooks.list('busy')).toHaveLength(10)
  const { rows } = await ledger.pool.query(`select count(*)::int as noted from audit where action = 'webhook.created'`)
  expect(rows).toEqual([{ noted: 11 }])
})

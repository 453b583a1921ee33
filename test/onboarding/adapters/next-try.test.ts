import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/kit/database/database.ts'
import { migrate } from '../../../src/kit/database/migrations.ts'
import { migrations } from '../../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { countRetries } from '../../../src/onboarding/console/adapters/support-overview.ts'
import { createTestDatabase } from '../../support/processes/stores.ts'
import { audited, openLedger } from '../../support/worlds/ledger.ts'

test('links that wait when the next try gets a column of its own wait for the same moment after it', async () => {
  const { pool, close } = openDatabase(await createTestDatabase())
  const at = migrations.findIndex(({ name }) => name === '0015-next-try')
  await migrate(pool, migrations.slice(0, at))
  await pool.query(`
    insert into tenants (id, workspace, display_name, return_urls, signing_secret) values ('acme', 'acme', '', '{}', '');
    insert into connect_sessions (id, token_digest, tenant, integration, end_user, expires_at)
    select id, id, 'acme', 'provider', '{"id":"u"}', now() from unnest(array['waits', 'due', 'untried']) as id;
    insert into links (id, session_id, tenant, workspace, integration, end_user, browser, state, connection_id,
      connection_name, function_name, attempts, due_at)
    select id, id, 'acme', 'acme', 'provider', '{"id":"u"}', '', 'escrowed', id, id, id, attempts, now() + wait
    from (values ('waits', 2, interval '1 minute'), ('due', 2, interval '-1 second'), ('untried', 0, interval '9 s'))
      as made (id, attempts, wait)`)

  await migrate(pool, migrations)

  const { rows } = await pool.query('select id from links where next_try_at = due_at')
  expect(rows).toEqual([{ id: 'waits' }])
  await close()
})

test('a link that a process of an earlier release has taken up is left to it', async () => {
  const ledger = await openLedger()
  await ledger.addTenant('acme')
  const waiting = await ledger.links.postpone(await ledger.addLink('acme'), 60, 'platform_unavailable')
  // Such a process knows neither the next try nor who else might look at it.
  await ledger.pool.query(`update links set due_at = now() + interval '30 s'`)

  const claimed = await ledger.links.claimWaiting(waiting!, audited('link.resumed'))

  expect(claimed).toBeUndefined()
  await ledger.close()
})

test('a link that was sent back a step to wait stands among those that are tried again', async () => {
  const ledger = await openLedger()
  await ledger.addTenant('acme')
  const [waits] = [await ledger.addLink('acme'), await ledger.addLink('acme')]
  const sentBack = `update links set cause = 'provider_unavailable', next_try_at = now() + interval '9 s' where id = $1`
  await ledger.pool.query(sentBack, [waits.id])

  const groups = await countRetries(ledger.db)

  expect(groups).toMatchObject([{ cause: 'provider_unavailable', count: 1 }])
  await ledger.close()
})

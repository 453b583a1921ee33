import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/kit/database/database.ts'
import { migrate } from '../../../src/kit/database/migrations.ts'
import { migrations } from '../../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { createTestDatabase } from '../../support/processes/stores.ts'

test('a secret that was replaced before there was room for several goes on for the rest of its day', async () => {
  const { pool, close } = openDatabase(await createTestDatabase())
  const at = migrations.findIndex(({ name }) => name === '0014-earlier-webhook-secrets')
  await migrate(pool, migrations.slice(0, at))
  await pool.query(`
    insert into tenants (id, workspace, display_name, return_urls, signing_secret) values ('acme', 'acme', '', '{}', '');
    insert into webhooks (id, tenant, url, events, secret, previous_secret, previous_secret_until) values
      ('whk_good', 'acme', '', '{}', 'present', 'before', now() + interval '6 hours'),
      ('whk_over', 'acme', '', '{}', 'present', 'before', now() - interval '6 hours'),
      ('whk_none', 'acme', '', '{}', 'present', null, null)`)

  await migrate(pool, migrations)

  const { rows } = await pool.query('select webhook, secret, until > now() as good from earlier_webhook_secrets')
  expect(rows).toEqual([{ webhook: 'whk_good', secret: 'before', good: true }])
  await close()
})

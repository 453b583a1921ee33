// An app that creates keys while its grant is revoked.
import { createHash } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { postgresApiKeys } from '../../../src/platform/identity/adapters/api-keys.ts'
import { endAllOfGrant } from '../../../src/platform/identity/adapters/grant-lineage.ts'
import { postgresServiceAccounts } from '../../../src/platform/identity/adapters/service-accounts.ts'
import { newApiKey } from '../../../src/platform/identity/domain/api-key.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
afterAll(() => world.close())

const by = { kind: 'user' as const, id: 'u', label: 'app', credential: 'key:k' }

const isWaiting = async () =>
  (
    await world.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rowCount === 1

test('S18: rejects a key that is created while its grant is being revoked', async () => {
  const hash = createHash('sha256').update('grant').digest()
  const grant = hash.toString('base64url')
  const { rows } = await world.pool.query(`select id from users where email = 'admin@acme.example'`)
  const make = () =>
    postgresApiKeys(world.pool).add(
      { ...newApiKey(), name: 'by-app', scopes: ['drives:list'], expiresAt: undefined, grant },
      { userId: rows[0].id },
      by,
    )
  await world.pool.query(`insert into oidc_records (model, id_hash, envelope) values ('Grant', $1, 'sealed')`, [hash])
  await make()

  const revocation = await world.pool.connect()
  await revocation.query('begin')
  await revocation.query(`delete from oidc_records where model = 'Grant' and id_hash = $1`, [hash])
  await revocation.query('delete from api_keys where grant_name = $1', [grant])
  const made = make().catch((error) => error)
  await waitFor('the key waits for the revocation', isWaiting)
  await revocation.query('commit')
  revocation.release()

  expect(await made).toMatchObject({ code: 'credential_invalid' })
  expect((await world.pool.query('select from api_keys where grant_name = $1', [grant])).rowCount).toBe(0)
})

test('S18: rejects a service account that is created while its grant is being revoked', async () => {
  const hash = createHash('sha256').update('another grant').digest()
  const grant = hash.toString('base64url')
  const at = new Date()
  const make = (name: string) =>
    postgresServiceAccounts(world.pool).add(
      {
        clientId: `sa-${name}`,
        workspace: 'acme',
        name,
        description: '',
        role: 'member',
        accountWide: false,
        scopes: ['drives:list'],
        createdAt: at,
        updatedAt: at,
        createdBy: 'app',
        updatedBy: 'app',
      },
      Buffer.alloc(32),
      by,
      grant,
    )
  await world.pool.query(`insert into oidc_records (model, id_hash, envelope) values ('Grant', $1, 'sealed')`, [hash])
  await make('first')
  expect(await make('first')).toBeUndefined()

  const revocation = await world.pool.connect()
  await revocation.query('begin')
  await revocation.query(`delete from oidc_records where model = 'Grant' and id_hash = $1`, [hash])
  await endAllOfGrant(revocation, grant)
  const made = make('second').catch((error) => error)
  await waitFor('the account waits for the revocation', isWaiting)
  await revocation.query('commit')
  revocation.release()

  expect(await made).toMatchObject({ code: 'credential_invalid' })
  expect((await world.pool.query('select from service_accounts where grant_name = $1', [grant])).rowCount).toBe(0)
})

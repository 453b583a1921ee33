// Users of a deleted function are deleted, because the rows hold IDs and names of a tenant's users.
import { afterAll, expect, test } from 'vitest'
import { grantName } from '../../../src/platform/identity/adapters/oidc-records.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
afterAll(() => world.close())

const endUser = { id: 'user-canary', label: 'canary@acme.example' }

async function openFunction(name: string, grantId: string): Promise<void> {
  const spec = { type: 'mcp', runtime: { type: 'mcp' }, integrationConnections: [] }
  const api = world.as(world.admin)
  await createResource(api, 'functions', name, spec)
  const found = await world.pool.query(`select id from resources where kind = 'function' and name = $1`, [name])
  const of = { workspace: 'acme', name, functionId: found.rows[0].id }
  await api.post(`/v0/functions/${name}/logins`).send({ endUser }).expect(200)
  const person = { accountId: 'a', accountLabel: endUser.label, endUserId: endUser.id }
  const app = { clientId: 'c', clientName: 'C', redirectTo: 'r', scopes: ['tools:read'] }
  await world.adapters.records.adapter('Grant').upsert(grantId, { accountId: 'a', clientId: 'c' } as never, 3_600)
  await world.adapters.functionGrants.add(grantId, { id: grantId, ...of, ...person, ...app })
}

test('removes users, logins and grants of a deleted function and keeps those of others', async () => {
  await openFunction('stays', 'grant-1')
  await openFunction('goes', 'grant-2')
  await world.as(world.admin).delete('/v0/functions/goes').expect(200)

  await world.adapters.functionUsers.removeExpired()
  await world.adapters.functionGrants.removeEnded()

  const names = async (table: string) =>
    (await world.pool.query(`select function_name as name from ${table}`)).rows.map(({ name }) => name)
  expect(await names('function_users')).toEqual(['stays'])
  expect(await names('function_grants')).toEqual(['stays'])
  const grants = await world.pool.query(`select id_hash from oidc_records where model = 'Grant'`)
  expect(grants.rows.map((row) => row.id_hash.toString('base64url'))).toEqual([grantName('grant-1')])
  const { rows } = await world.pool.query('select count(*)::int as count from function_logins')
  expect(rows).toEqual([{ count: 1 }])
})

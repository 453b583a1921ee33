// Who could open a function is forgotten with it: these rows hold ids and names of a tenant's users.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

let world: PlatformWorld
beforeAll(async () => {
  world = await platformWorld()
})
afterAll(() => world.close())

const endUser = { id: 'user-canary', label: 'canary@acme.example' }

async function openFunction(name: string, grantId: string): Promise<void> {
  const spec = { type: 'mcp', runtime: { type: 'mcp' }, integrationConnections: [] }
  const api = world.as(world.admin)
  await api.post('/v0/functions').send({ metadata: { name }, spec }).expect(200)
  await api.post(`/v0/functions/${name}/logins`).send({ endUser }).expect(200)
  const person = { accountId: 'a', accountLabel: endUser.label, endUserId: endUser.id }
  const app = { clientId: 'c', clientName: 'C', redirectTo: 'r', scopes: ['tools:read'] }
  await world.adapters.functionGrants.add(grantId, { id: grantId, workspace: 'acme', name, ...person, ...app })
}

test('users, logins and grants of a function that is gone are removed, and those of others stay', async () => {
  await openFunction('stays', 'grant-1')
  await openFunction('goes', 'grant-2')
  await world.as(world.admin).delete('/v0/functions/goes').expect(200)

  await world.adapters.functionUsers.removeExpired()
  await world.adapters.functionGrants.removeEnded()

  const names = async (table: string) =>
    (await world.pool.query(`select function_name as name from ${table}`)).rows.map(({ name }) => name)
  expect(await names('function_users')).toEqual(['stays'])
  expect(await names('function_grants')).toEqual(['stays'])
  const { rows } = await world.pool.query('select count(*)::int as count from function_logins')
  expect(rows).toEqual([{ count: 1 }])
})

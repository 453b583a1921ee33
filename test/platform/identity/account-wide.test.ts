import { afterAll, expect, test } from 'vitest'
import { unlimited } from '../../../src/platform/identity/domain/delegation.ts'
import { createApiKey } from '../../../src/platform/identity/flows/manage-api-keys.ts'
import { createServiceAccount } from '../../../src/platform/identity/flows/manage-service-accounts.ts'
import { operator } from '../../../src/platform/shared/domain/audit.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
afterAll(() => world.close())

/** As the operators' commands do. */
async function createRobot() {
  const input = { name: 'product', role: 'member', description: '', workspace: 'acme', accountWide: true } as const
  const { account } = await createServiceAccount(world.adapters, { ...input, by: operator, minter: unlimited })
  const owner = { serviceAccountId: account.clientId }
  const { key } = await createApiKey(world.adapters, {
    owner,
    name: 'product',
    expiresIn: undefined,
    by: operator,
    minter: unlimited,
  })
  return { clientId: account.clientId, key: key.reveal() }
}

test('an account-wide service account can access every workspace of its account, including later ones, and no other', async () => {
  const { clientId, key } = await createRobot()
  await world.enter('later', 'admin@acme.example')
  await world.enter('foreign', 'admin@other.example', 'other')
  const functionsIn = async (workspace: string) => (await world.as({ key, workspace }).get('/v0/functions')).status

  const entered = [await functionsIn('acme'), await functionsIn('later'), await functionsIn('foreign')]
  const { body: workspaces } = await world.as({ key, workspace: 'acme' }).get('/v0/workspaces')
  // Otherwise an admin of its home workspace could create a key for all other workspaces.
  const seen = await world.as(world.admin).get('/v0/service_accounts')
  const keyOfIt = await world.as(world.admin).post(`/v0/service_accounts/${clientId}/api_keys`).send({ name: 'mine' })
  const removed = await world.as(world.admin).delete(`/v0/service_accounts/${clientId}`)

  expect(entered).toEqual([200, 200, 403])
  expect(workspaces.map(({ name }: { name: string }) => name).sort()).toEqual(['acme', 'later'])
  expect(seen.body).toEqual([])
  expect([keyOfIt.status, removed.status]).toEqual([404, 404])
})

test('an ordinary one can access only its own workspace', async () => {
  await world.addServiceAccount('sa-ordinary', 'admin', 'a secret of an ordinary one')
  await world.enter('next-door', 'admin@acme.example')
  const owner = { serviceAccountId: 'sa-ordinary' }
  const { key } = await createApiKey(world.adapters, {
    owner,
    name: 'robot',
    expiresIn: undefined,
    by: operator,
    minter: unlimited,
  })

  const at = (workspace: string) => world.as({ key: key.reveal(), workspace }).get('/v0/functions')

  expect([(await at('acme')).status, (await at('next-door')).status]).toEqual([200, 403])
})

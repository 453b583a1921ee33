import { afterAll, test } from 'vitest'
import { processesWith } from '../../support/oracles/processes-with.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, keysOf, platformWorld } from '../../support/worlds/platform-world.ts'
import { filePromises } from './files.contract.ts'
import { processPromises } from './processes.contract.ts'

const world = await platformWorld()
const { databaseUrl: DATABASE_URL, dataFolder: DATA_FOLDER } = world.config
const other = await platformWorld({ env: { DATABASE_URL, DATA_FOLDER, ENCRYPTION_KEYS: keysOf(world) } })
const api = world.as(world.admin)
await createResource(api, 'sandboxes', 'box', { runtime: { memory: 256 } })
afterAll(() => Promise.all([world.close(), other.close()]))

processPromises({ world, other, sandbox: 'box' })
filePromises({ world, sandbox: 'box' })

test.each([
  ['deleted', (path: string) => api.delete(path)],
  ['disabled', (path: string, name: string) => api.put(path).send({ metadata: { name }, spec: { enabled: false } })],
])('the processes of a sandbox that is %s end', async (how, change) => {
  const name = `short-${how}`
  await createResource(api, 'sandboxes', name, { runtime: { memory: 256 } })
  const mark = `65.${how.length}${process.pid}`
  await api
    .post(`/acme/sandboxes/${name}/process`)
    .send({ command: `sleep ${mark} & sleep ${mark}` })
    .expect(200)
  await waitFor('it runs', () => processesWith(mark).length > 0)

  await change(`/v0/sandboxes/${name}`, name).expect(200)

  await waitFor('nothing of it runs', () => processesWith(mark).length === 0)
})

test('people of other workspaces neither see nor start processes', async () => {
  const { pid } = (await api.post('/acme/sandboxes/box/process').send({ command: 'true' }).expect(200)).body
  const { key } = await world.enter('elsewhere', 'stranger@elsewhere.example', 'other')
  const stranger = world.as({ key, workspace: 'acme' })

  await stranger.get(`/acme/sandboxes/box/process/${pid}`).expect(404)
  await stranger.post('/acme/sandboxes/box/process').send({ command: 'true' }).expect(404)
})

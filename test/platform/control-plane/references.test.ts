// Missing references: the resource reports them and recovers with the next update.
import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { samples } from '../../support/worlds/platform-samples.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

const settled = (path: string) =>
  waitFor('it is settled', async () => {
    const { body } = await api.get(path)
    return body.status !== 'DEPLOYING' && body
  })

const toDo = (what: string, name: string) => `There is no ${what} ${name}: create it, then update this resource.`

test.each(['agent', 'function', 'job', 'model', 'sandbox'])(
  'a %s with a missing policy is FAILED with the fix, and recovers with the next update',
  async (kind) => {
    const { path, spec } = samples[kind]!
    const policy = `rule-for-${kind}`
    const body = { metadata: { name: 'ruled' }, spec: { ...spec, policies: [policy] } }
    await api.post(`/v0${path}`).send(body).expect(200)

    const failed = await settled(`/v0${path}/ruled`)
    await createResource(api, 'policies', policy, samples.policy!.spec)
    await api.put(`/v0${path}/ruled`).send(body).expect(200)
    const healed = await settled(`/v0${path}/ruled`)

    expect([failed.status, failed.events.at(-1).message]).toEqual(['FAILED', toDo('policy', policy)])
    expect([healed.status, healed.spec.policies]).toEqual(['DEPLOYED', [policy]])
  },
)

test('a volume with a missing template is FAILED with the fix, and has its size once it recovers', async () => {
  const body = { metadata: { name: 'early' }, spec: { template: 'later' } }

  const { body: created } = await api.post('/v0/volumes').send(body).expect(200)
  await api.put('/v0/volumes/early').send(body).expect(200)
  const still = await settled('/v0/volumes/early')
  await createResource(api, 'volume_templates', 'later', { defaultSize: 64 })
  await api.put('/v0/volumes/early').send(body).expect(200)
  const healed = await settled('/v0/volumes/early')

  const message = toDo('volume template', 'later')
  expect([created.status, created.events.at(-1).message]).toEqual(['FAILED', message])
  expect([still.status, still.events.at(-1).message]).toEqual(['FAILED', message])
  expect([healed.status, healed.events.at(-1).message]).toEqual(['DEPLOYED', 'The volume is ready.'])
  expect(healed.spec).toMatchObject({ template: 'later', size: 64 })
})

test('a volume whose template exists is ready immediately, and stays ready after an update', async () => {
  await createResource(api, 'volume_templates', 'there', { defaultSize: 8 })
  const body = { metadata: { name: 'at-once' }, spec: { template: 'there' } }

  const { body: created } = await api.post('/v0/volumes').send(body)
  const { body: updated } = await api.put('/v0/volumes/at-once').send(body)

  expect([created.status, updated.status, updated.events.length]).toEqual(['DEPLOYED', 'DEPLOYED', 1])
})

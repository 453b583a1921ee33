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

test.each([
  [{ type: 'location', locations: [{ name: 'mars' }] }, 'allows mars, and this platform has only the location local'],
  [{ type: 'flavor', flavors: [{ name: 't4', type: 'gpu' }] }, 'allows t4, and this platform has no GPU'],
  [{ type: 'maxToken', maxTokens: { granularity: 'eon' } }, 'has the unknown granularity eon: use minute, hour, day'],
])('a workload whose policy is %j is FAILED, with the reason', async (policy, reason) => {
  const name = `by-${policy.type.toLowerCase()}`
  await createResource(api, 'policies', name, policy)
  await createResource(api, 'agents', name, { runtime: { image: 'local/echo' }, policies: [name] })

  const { status, events } = await settled(`/v0/agents/${name}`)

  expect([status, events.at(-1).message]).toEqual(['FAILED', expect.stringContaining(`The policy ${name} ${reason}`)])
})

test.each([
  { type: 'location', locations: [{ name: 'mars' }, { name: 'local' }] },
  { type: 'location', locations: [{ name: 'mars' }], resourceTypes: ['models', 'function'] },
  {
    type: 'flavor',
    flavors: [
      { name: 't4', type: 'gpu' },
      { name: 'x86', type: 'cpu' },
    ],
  },
])('an agent runs with the policy %j', async (policy) => {
  const name = `allows-${JSON.stringify(policy).length}`
  await createResource(api, 'policies', name, policy)
  await createResource(api, 'agents', name, { runtime: { image: 'local/echo' }, policies: [name] })

  expect((await settled(`/v0/agents/${name}`)).status).toBe('DEPLOYED')
})

test('a job that would be a runner of GitHub is FAILED, with the reason', async () => {
  const spec = { runtime: { image: 'local/echo' }, githubRunner: { repositories: 'acme/files' } }
  await createResource(api, 'jobs', 'runner', spec)

  const { status, events } = await settled('/v0/jobs/runner')

  expect([status, events.at(-1).message]).toEqual(['FAILED', expect.stringContaining('remove spec.githubRunner')])
})

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

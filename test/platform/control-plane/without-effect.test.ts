// Settings that this platform accepts without acting on them are reported in an event.
import { afterAll, expect, test } from 'vitest'
import type { CoreEvent } from '../../../src/contract/resource.ts'
import { createResource, platformWorld, replaceResource } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)
afterAll(() => world.close())

async function noticesOf(path: string) {
  const { body } = await api.get(`/v0/${path}`)
  return (body.events as CoreEvent[]).filter(({ type }) => type === 'no_effect').map(({ message }) => message)
}

test('an event of a job names its settings without effect', async () => {
  const runtime = { image: 'local/echo', ports: [{ target: 80 }] }
  await createResource(api, 'jobs', 'told', { runtime, revision: { canaryPercent: 10 } })

  expect(await noticesOf('jobs/told')).toEqual([
    'Stored, but without effect on this platform: spec.revision, spec.runtime.ports.',
  ])
})

test('an event of a sandbox lists fields that were not stored, once for repeated updates', async () => {
  const spec = {
    runtime: { extraArgs: { tun: 'enabled' } },
    network: { subnet: 'own' },
    lifecycle: { terminatedRetention: '1h' },
  }
  await createResource(api, 'sandboxes', 'brief', spec)
  await replaceResource(api, 'sandboxes', 'brief', spec)

  expect(await noticesOf('sandboxes/brief')).toEqual([
    'Unknown to this platform, so neither stored nor in effect: spec.runtime.extraArgs, spec.network, spec.lifecycle.terminatedRetention.',
  ])
})

test.each([
  [
    'agents',
    'agent',
    { runtime: { image: 'local/echo', envs: [{ name: 'A', value: 'b' }], timeout: 5 } },
    'spec.runtime.envs',
  ],
  [
    'sandboxes',
    'ports',
    { runtime: { ports: [{ target: 80 }], timeout: 5 } },
    'spec.runtime.timeout, spec.runtime.ports',
  ],
  ['vpcs', 'net', {}, 'VPCs have no effect'],
])('%s/%s reports settings without effect', async (path, name, spec, expected) => {
  await createResource(api, path, name, spec)

  expect(await noticesOf(`${path}/${name}`)).toEqual([expect.stringContaining(expected)])
})

test.each([
  ['jobs', { runtime: { image: 'local/echo', timeout: 5, envs: [{ name: 'A', value: 'b' }] } }],
  ['sandboxes', { runtime: { envs: [{ name: 'A', value: 'b' }] } }],
  ['volumes', { size: 5 }],
])('settings of %s that have an effect cause no event, also if a response is sent back', async (path, spec) => {
  const { body } = await createResource(api, path, 'usual', spec)
  await api.put(`/v0/${path}/usual`).send(body).expect(200)

  expect(await noticesOf(`${path}/usual`)).toEqual([])
})

test('an unknown authenticationType is 400', async () => {
  const triggers = [{ type: 'http', configuration: { authenticationType: 'nonsense' } }]
  const spec = { runtime: { image: 'local/echo' }, triggers }
  const answer = await api.post('/v0/jobs').send({ metadata: { name: 'odd' }, spec })

  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('authenticationType')])
})

// A revision whose image runs in a container gets requests once its server listens.
import { afterAll, expect, test } from 'vitest'
import type { KeptContainer } from '../../../src/platform/shared/domain/engine.ts'
import { answeringServer, containersWith, engineOf } from '../../support/doubles/engine.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, platformWorld, replaceResource } from '../../support/worlds/platform-world.ts'

const kept: KeptContainer[] = []

const containers = containersWith({
  keep: async (wanted) => {
    kept.push(wanted)
    return wanted.image.includes('broken') ? { problem: 'It has no command.' } : {}
  },
  connect: async ({ image }) => {
    if (image.includes('deaf')) throw new Error('nothing listens')
    return answeringServer()
  },
})

const world = await platformWorld({ adapters: { engine: engineOf(containers) } })
const api = world.as(world.admin)
afterAll(() => world.close())

const specOf = (image: string) => ({ runtime: { image: `acme/${image}` } })
const read = async (name: string) => (await api.get(`/v0/agents/${name}`)).body
const settled = (name: string) =>
  waitFor(`${name} is settled`, async () => {
    const agent = await read(name)
    return agent.status !== 'DEPLOYING' && agent
  })
const containersOf = (image: string) =>
  new Set(kept.filter((each) => each.image === `acme/${image}`).map(({ id }) => id))

async function deployed(name: string) {
  await createResource(api, 'agents', name, specOf('good'))
  await settled(name)
  const [first] = (await api.get(`/v0/agents/${name}/revisions`)).body
  return first.id as string
}

const active = async (name: string) => {
  const all = (await api.get(`/v0/agents/${name}/revisions`)).body as Array<{ id: string; trafficPercent: number }>
  return all.filter(({ trafficPercent }) => trafficPercent > 0).map(({ id }) => id)
}

test('each revision has a container of its own', async () => {
  await deployed('blue')
  await replaceResource(api, 'agents', 'blue', specOf('green'))
  await settled('blue')

  expect([...containersOf('green')].filter((id) => containersOf('good').has(id))).toEqual([])
  expect(await active('blue')).toEqual([...containersOf('green')])
})

test('a revision that never listens gets no requests, and the next update does not wait for it', async () => {
  const first = await deployed('waiting')
  await replaceResource(api, 'agents', 'waiting', specOf('deaf'))
  await waitFor('its container is started', async () => containersOf('deaf').size > 0)

  const meanwhile = await active('waiting')
  const statusMeanwhile = (await read('waiting')).status
  await replaceResource(api, 'agents', 'waiting', specOf('cured'))
  const { status } = await settled('waiting')

  expect([meanwhile, statusMeanwhile]).toEqual([[first], 'DEPLOYING'])
  expect([status, await active('waiting')]).toEqual(['DEPLOYED', [...containersOf('cured')]])
  expect(containersOf('deaf').size).toBe(1)
})

test('a revision whose container does not start is FAILED, and the one before it goes on', async () => {
  const first = await deployed('going')

  await replaceResource(api, 'agents', 'going', specOf('broken'))
  const { status, events } = await settled('going')

  expect([status, events.at(-1).message]).toEqual([
    'FAILED',
    'It has no command. Requests still go to the revision before it.',
  ])
  expect(await active('going')).toEqual([first])
})

test('many updates at once wait for one container at a time', async () => {
  await deployed('burst')
  const before = kept.length
  const send = (at: number) => replaceResource(api, 'agents', 'burst', specOf(`deaf-${at}`))

  await Promise.all(Array.from({ length: 30 }, (_, at) => send(at)))
  await replaceResource(api, 'agents', 'burst', specOf('last'))
  const { status } = await settled('burst')

  expect([status, await active('burst')]).toEqual(['DEPLOYED', [...containersOf('last')]])
  expect(kept.length - before).toBeLessThan(40)
})

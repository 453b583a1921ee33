// Optional parts of the engine port: volumes and ports.
import { afterAll, expect, test } from 'vitest'
import type { Containers, KeptContainer } from '../../../src/platform/shared/domain/engine.ts'
import { containersWith, engineOf } from '../../support/doubles/engine.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

const worlds: PlatformWorld[] = []
afterAll(() => Promise.all(worlds.map((world) => world.close())))

async function worldWith(more: Partial<Containers>) {
  const kept: KeptContainer[] = []
  const keep = async (wanted: KeptContainer) => {
    kept.push(wanted)
    return {}
  }
  const world = await platformWorld({ adapters: { engine: engineOf(containersWith({ keep, ...more })) } })
  worlds.push(world)
  const api = world.as(world.admin)
  await createResource(api, 'volumes', 'vol', { size: 10 })
  const volumes = [{ name: 'vol', mountPath: '/srv//vol/', readOnly: true }]
  await createResource(api, 'sandboxes', 'box', { runtime: { image: 'acme/box' }, volumes })
  const sandbox = await waitFor('it is settled', async () => {
    const { body } = await api.get('/v0/sandboxes/box')
    return body.status !== 'DEPLOYING' && body
  })
  return { api, kept, sandbox }
}

test('without volumes, a sandbox with one is FAILED, with an event that names the member', async () => {
  const { sandbox } = await worldWith({})

  expect([sandbox.status, sandbox.events.at(-1).message]).toEqual(['FAILED', expect.stringContaining('spec.volumes')])
})

test('with volumes, the engine gets them by the ID of their resource, with their size', async () => {
  const { sandbox, kept } = await worldWith({ mountsVolumes: true })

  expect(sandbox.status).toBe('DEPLOYED')
  expect(kept[0]?.mounts).toEqual([
    { volume: expect.stringMatching(/^[0-9a-f-]{36}$/), at: '/srv/vol', readOnly: true, sizeMb: 10 },
  ])
})

test('the engine keeps the volumes that have a resource, and no others', async () => {
  const [volumes, removed]: [string[], string[]] = [['deleted'], []]
  const { api } = await worldWith({
    mountsVolumes: true,
    keep: async ({ mounts = [] }) => {
      volumes.push(...mounts.map(({ volume }) => volume))
      return {}
    },
    list: async () => volumes.map((id) => ({ kind: 'volume', id, isRunning: false })),
    remove: async ({ id }) => void removed.push(id),
  })
  const before = removed.length
  await createResource(api, 'sandboxes', 'other', { runtime: { image: 'acme/box' } })

  await waitFor('the volumes are compared', async () => removed.length > before)

  expect(volumes.length).toBeGreaterThan(1)
  expect(new Set(removed)).toEqual(new Set(['deleted']))
})

test('without connections to ports, they are rejected with the reason', async () => {
  const { api } = await worldWith({ mountsVolumes: true })

  const { body } = await api.get('/acme/sandboxes/box/port/8080/').expect(400)

  expect(body.error.message).toContain('an engine that connects to ports')
})

test('tools of a sandbox in a container say where a command starts', async () => {
  const { api } = await worldWith({ mountsVolumes: true })

  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const accept = { accept: 'application/json, text/event-stream' }
  const { text } = await api.post('/acme/sandboxes/box/mcp').set(accept).send(message).expect(200)

  expect(text).toContain('It starts in /home/user and')
})

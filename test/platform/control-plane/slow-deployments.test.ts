import { afterAll, expect, test } from 'vitest'
import type { Engine } from '../../../src/platform/shared/domain/engine.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

let release = () => {}
const released = new Promise<void>((resolve) => (release = resolve))

/** An engine whose containers start when they are released. */
const engine: Engine = {
  kind: 'docker',
  problem: async () => undefined,
  run: async () => ({ outcome: 'exited', code: 0, stdout: '', stderr: '' }),
  containers: {
    fetch: async () => ({}),
    keep: async () => {
      await released
      return {}
    },
    stop: async () => {},
    remove: async () => {},
    list: async () => [],
    watch: async () => {},
  },
}

const world = await platformWorld({ adapters: { engine } })
const api = world.as(world.admin)
afterAll(async () => {
  release()
  await world.close()
})

test('a deployment that takes long does not hold up those that a stopped process left', async () => {
  await createResource(api, 'sandboxes', 'slow', { runtime: { image: 'acme/slow' } })
  await createResource(api, 'agents', 'left', { runtime: { image: 'local/echo' } })
  const statusOf = async (path: string) => (await api.get(`/v0/${path}`)).body.status
  await waitFor('it is deployed', async () => (await statusOf('agents/left')) === 'DEPLOYED')
  const strand = `update resources set status = 'DEPLOYING', updated_at = updated_at - interval '1 minute' where name = $1`
  for (const name of ['slow', 'left']) await world.pool.query(strand, [name])

  const settling = world.settle()

  await waitFor('the other one is deployed again', async () => (await statusOf('agents/left')) === 'DEPLOYED')
  expect(await statusOf('sandboxes/slow')).toBe('DEPLOYING')
  release()
  await settling
})

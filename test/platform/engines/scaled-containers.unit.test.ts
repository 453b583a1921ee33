// Containers of an agent: started by a request, more of them under load, up to a maximum.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { scaledContainers } from '../../../src/platform/gateway/adapters/containers/scaled-containers.ts'
import type { WorkloadRequest } from '../../../src/platform/gateway/domain/workload.ts'
import { answeringServer, containersWith } from '../../support/doubles/engine.ts'

const closing: Array<() => void> = []
afterEach(() => closing.splice(0).forEach((close) => void close()))

function world({ keep = async () => ({}) as { problem?: string } } = {}) {
  const running = new Set<string>()
  const kept: string[] = []
  const requests: Array<{ id: string; ended: () => void }> = []
  const uses = {
    isNoted: (id: string) => running.has(id),
    doubt: () => {},
    note: async (id: string) => running.has(id),
    started: async (id: string) => void running.add(id),
    ...{ known: async () => [], adopt: async () => {}, forget: async () => {} },
    ...{ claimStop: async () => true, endStop: async () => {} },
  }
  const containers = containersWith({
    keep: async ({ id }) => {
      kept.push(id)
      return keep()
    },
    connect: async () => answeringServer(),
  })
  const ports = {
    serve:
      ({ id }: { id: string }) =>
      async ({ ended = () => {} }: WorkloadRequest) => {
        requests.push({ id, ended })
        return { status: 200, headers: {}, body: (async function* () {})() }
      },
  }
  const scaled = scaledContainers({ containers, ports, uses })
  closing.push(scaled.close)
  const first = { id: 'r', image: 'acme/agent', memoryMb: 128, serves: { port: 80, env: new Secret({}) } }
  const serve = (max: number) => scaled.serve({ resource: 'agent', kept: first, port: 80, max })
  const signal = new AbortController().signal
  const ask = (max: number) => serve(max)({ method: 'GET', path: '', headers: {}, body: null, signal })
  return { ask, kept, requests, running }
}

const times = (count: number, act: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, act))

test('the first request starts the container, and those at the same time wait for the same start', async () => {
  const { ask, kept, requests } = world()

  await times(5, () => ask(1))

  expect(kept).toEqual(['r'])
  expect(requests.map(({ id }) => id)).toEqual(Array(5).fill('r'))
})

test('a container that was stopped is started again', async () => {
  const { ask, kept, running } = world()
  await ask(1)
  running.clear()

  await ask(1)

  expect(kept).toEqual(['r', 'r'])
})

test('under load there are more containers, at most the maximum, and requests do not wait for them', async () => {
  const { ask, kept, requests } = world()
  await times(8, () => ask(3))
  await ask(3)
  const ninth = requests.at(-1)?.id
  while (kept.length < 2) await nextTurn()
  for (let at = 0; at < 60; at++) {
    await ask(3)
    await nextTurn()
  }

  expect(ninth).toBe('r')
  expect(kept).toEqual(['r', 'r-1', 'r-2'])
  const counts = ['r', 'r-1', 'r-2'].map((id) => requests.filter((each) => each.id === id).length)
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(4)
})

test('requests that have ended make room', async () => {
  const { ask, kept, requests } = world()
  for (let at = 0; at < 40; at++) {
    await ask(3)
    for (const { ended } of requests) {
      ended()
      ended()
    }
  }

  expect(kept).toEqual(['r'])
})

test('a container that cannot be started is reported, and the next request tries again', async () => {
  let problem: string | undefined = 'The engine has no room.'
  const { ask } = world({ keep: async () => (problem ? { problem } : {}) })

  const failed = await ask(1).catch((error) => error.detail)
  problem = undefined

  expect(failed).toBe('The engine has no room.')
  expect((await ask(1)).status).toBe(200)
})

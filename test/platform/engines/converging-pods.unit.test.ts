// Many sandboxes on a cluster that rejects calls for a moment, loses answers and reports states late.
import { expect, test } from 'vitest'
import { keepContainers } from '../../../src/platform/gateway/flows/keep-containers.ts'
import { podsOf } from '../../../src/platform/shared/adapters/kubernetes/pods.ts'
import { imageRules } from '../../../src/platform/shared/domain/image-rules.ts'
import { noContainerUses } from '../../support/doubles/engine.ts'
import { clusterInMemory } from './cluster-in-memory.ts'
import { type Pod, type Rudeness, statuses } from './simulated-cluster.ts'

const boxes = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `box-${at}`, image: 'acme/box', memoryMb: 128, isWanted: true }))

function reconciler(rudeness: Rudeness, wanted: { current: ReturnType<typeof boxes> }) {
  const reports: Array<() => void> = []
  const { cluster, api } = clusterInMemory({ ...rudeness, later: (report) => void reports.push(report) })
  let ms = 0
  const turn = keepContainers({
    containers: podsOf(api, { owner: 'test', images: imageRules(['*']), sharedStorage: undefined }),
    workloads: {
      sandboxesWithImages: async () => wanted.current,
      servedImages: async () => [],
      servedContainer: async () => undefined,
      removedStorage: async () => [],
    },
    sandboxUses: { idle: async () => [], claimStop: async () => false, endStop: async () => {} },
    containerUses: noContainerUses,
    isContainer: () => true,
    log: () => {},
    now: () => new Date(ms),
  })
  const running = () => [...cluster.pods.values()].filter(({ status }) => status?.phase === 'Running').length
  return {
    cluster,
    /** A turn every 15 seconds. Returns how many calls it took. */
    async converge(): Promise<number> {
      const before = cluster.calls.length
      const count = wanted.current.length
      const isDone = () => running() === count && cluster.pods.size === count && cluster.claims.size === count
      for (let turns = 0; turns < 40 && !isDone(); turns++) {
        await turn().catch(() => {})
        ms += 15_000
        // The kubelet reports the last ones first, and some only in the next turn.
        for (const report of reports.splice(turns % 2 === 0 ? reports.length / 4 : 0).reverse()) report()
      }
      return isDone() ? cluster.calls.length - before : Number.POSITIVE_INFINITY
    },
  }
}

test('10,000 sandboxes converge with a bounded number of calls', { timeout: 120_000 }, async () => {
  const wanted = { current: boxes(10_000) }
  const { cluster, converge } = reconciler({ chances: { fail: 0.005, lost: 0.01 } }, wanted)

  const toStart = await converge()
  for (const name of [...cluster.pods.keys()].slice(0, 1_000)) cluster.report(name, statuses.ended(137, 'Error'))
  const toRepeat = await converge()
  wanted.current = wanted.current.slice(1_000)
  const toRemove = await converge()

  // At most 40, of pods and of claims.
  const lists = 1_600
  // Each is read, and its volume and pod are created.
  expect(toStart).toBeLessThan(10_000 * 3.5)
  // Each is read, removed and created again.
  expect(toRepeat).toBeLessThan(1_000 * 6 + lists)
  expect(toRemove).toBeLessThan(1_000 * 4 + lists)
})

test('a pod that the cluster cannot start does not delay others, and is asked for once', async () => {
  const wanted = { current: boxes(50) }
  const statusOf = ({ metadata }: Pod) => (isOdd(metadata.name) ? [statuses.pending] : [statuses.running])
  const { cluster, converge } = reconciler({ statusOf }, wanted)

  await converge()

  const stuck = [...cluster.pods.values()].filter(({ status }) => status.phase === 'Pending').length
  expect(stuck).toBeGreaterThan(0)
  expect([...cluster.pods.values()].filter(({ status }) => status.phase === 'Running').length).toBe(50 - stuck)
  expect(cluster.calls.filter((call) => call === 'POST /pods').length).toBe(50)
})

const isOdd = (name: string) => Number.parseInt(name.slice(-1), 16) % 2 === 1

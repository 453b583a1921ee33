// The platform, or the API server of the cluster, is killed between any two calls.
import { expect, test } from 'vitest'
import { keepContainers } from '../../../src/platform/gateway/flows/keep-containers.ts'
import { collectRuns } from '../../../src/platform/jobs/flows/collect-runs.ts'
import type { KubernetesApi } from '../../../src/platform/shared/adapters/kubernetes/kubernetes-api.ts'
import { type OwnPods, podsOf } from '../../../src/platform/shared/adapters/kubernetes/pods.ts'
import { runOnce } from '../../../src/platform/shared/adapters/kubernetes/run-pod.ts'
import type { KeptContainer, RunEnd } from '../../../src/platform/shared/domain/engine.ts'
import { imageRules } from '../../../src/platform/shared/domain/image-rules.ts'
import { noContainerUses } from '../../support/doubles/engine.ts'
import { clusterInMemory } from './cluster-in-memory.ts'
import type { Pod } from './simulated-cluster.ts'

type Method = (...input: unknown[]) => Promise<unknown>

/** `gate` decides about each call before it is made. */
function guarded(api: KubernetesApi, gate: () => Promise<void>): KubernetesApi {
  const all = (of: object) =>
    Object.fromEntries(
      Object.entries(of).map(([name, method]) => [
        name,
        async (...input: unknown[]) => {
          await gate()
          return (method as Method)(...input)
        },
      ]),
    )
  const { namespace, core, networking, ...streams } = api
  return { ...all(streams), namespace, core: all(core), networking: all(networking) } as unknown as KubernetesApi
}

/** From a call on, nothing happens any more. */
const dyingAt = (last: number) => {
  let [calls, tellDead] = [0, () => {}]
  const dead = new Promise<void>((resolve) => {
    tellDead = resolve
  })
  const gate = async () => {
    if (calls++ < last) return
    tellDead()
    await new Promise(() => {})
  }
  return { gate, dead }
}

/** From a call on, some calls fail: the server starts again. */
const awayAt = (first: number, count: number) => {
  let calls = 0
  return async () => {
    const at = calls++
    if (at >= first && at < first + count) throw new Error('ECONNREFUSED')
  }
}

const open = (api: KubernetesApi): OwnPods =>
  podsOf(api, { owner: 'test', images: imageRules(['*']), sharedStorage: undefined })

const box: KeptContainer = {
  ...{ id: 'box', image: 'acme/box', memoryMb: 128 },
  mounts: [{ volume: 'v', at: '/data', readOnly: false }],
}

const runTask = (api: KubernetesApi): Promise<RunEnd> =>
  runOnce(
    { api, pods: open(api) },
    {
      ...{ id: 'task', command: [], env: {}, folders: [], memoryMb: 128, diskMb: 1, timeoutSeconds: 60, stdin: '' },
      signal: new AbortController().signal,
    },
    'acme/task',
  )

/** What another process of the platform does every few seconds. */
async function reconcile(pods: OwnPods, wanted: readonly KeptContainer[]): Promise<void> {
  const keep = keepContainers({
    containers: pods,
    workloads: {
      sandboxesWithImages: async () => wanted.map((each) => ({ ...each, isWanted: true })),
      servedImages: async () => [],
      servedContainer: async () => undefined,
      removedStorage: async (ids) => (wanted.length === 0 ? [...ids] : []),
    },
    sandboxUses: { idle: async () => [], claimStop: async () => false, endStop: async () => {} },
    containerUses: noContainerUses,
    ...{ isContainer: () => true, log: () => {}, now: () => new Date() },
  })
  for (let turns = 0; turns < 3; turns++) {
    await keep()
    await collectRuns(pods, { leased: async () => new Set() })()
  }
}

type Action = { wanted: readonly KeptContainer[]; act(api: KubernetesApi, pods: OwnPods): Promise<void> }

const actions: Record<string, Action> = {
  'starts a sandbox': { wanted: [box], act: async (_, pods) => void (await pods.keep(box)) },
  'replaces a sandbox': {
    wanted: [{ ...box, memoryMb: 256 }],
    act: async (_, pods) => void (await pods.keep({ ...box, memoryMb: 256 })),
  },
  'removes a sandbox': { wanted: [], act: async (_, pods) => pods.remove({ kind: 'kept', id: 'box' }) },
  'runs a task': { wanted: [box], act: async (api) => void (await runTask(api)) },
}

const kindsIn = (pods: ReadonlyMap<string, Pod>) =>
  [...pods.values()].map(({ metadata }) => metadata.labels['causeway.kind'])

const moments = Array.from({ length: 14 }, (_, at) => at)

test.each(Object.entries(actions))(
  'a platform that is killed while it %s leaves nothing without an owner',
  async (_what, { wanted, act }) => {
    const left = await Promise.all(
      moments.map(async (moment) => {
        const { cluster, api } = clusterInMemory()
        if (wanted[0] !== box) await open(api).keep(box)
        const { gate, dead } = dyingAt(moment)
        const dying = guarded(api, gate)

        await Promise.race([act(dying, open(dying)).catch(() => {}), dead])
        await reconcile(open(api), wanted)

        return [moment, kindsIn(cluster.pods), cluster.claims.size]
      }),
    )

    const kept = wanted.map(() => 'kept')
    expect(left).toEqual(moments.map((moment) => [moment, kept, 2 * kept.length]))
  },
)

test('an API server that is killed at any moment of a task does not change its result, or it is reported', async () => {
  const ends = await Promise.all(
    moments.map(async (moment) => {
      const { cluster, api } = clusterInMemory()

      const { outcome, stdout } = await runTask(guarded(api, awayAt(moment, 2)))
      await reconcile(open(api), [])

      return { moment, end: `${outcome} ${stdout}`.trim(), left: cluster.pods.size }
    }),
  )

  expect(ends.filter(({ end, left }) => left > 0 || !['exited hello', 'unavailable'].includes(end))).toEqual([])
  // Before the pod exists, the task is repeated. Afterwards it ends by itself.
  expect(ends.filter(({ end }) => end === 'unavailable').length).toBeLessThan(4)
})

test('a sandbox survives an API server that is killed at any moment', async () => {
  const found = await Promise.all(
    moments.map(async (moment) => {
      const { cluster, api } = clusterInMemory()
      const away = guarded(api, awayAt(moment, 3))

      await open(away)
        .keep(box)
        .catch(() => {})
      await reconcile(open(away), [box]).catch(() => {})
      await reconcile(open(api), [box])

      return [moment, kindsIn(cluster.pods)]
    }),
  )

  expect(found).toEqual(moments.map((moment) => [moment, ['kept']]))
})

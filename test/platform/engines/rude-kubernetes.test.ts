// A Kubernetes API that delays, repeats, drops and reorders events, and answers 409, 410, 429 and 500.
import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { keepContainers } from '../../../src/platform/gateway/flows/keep-containers.ts'
import { kubernetesEngine } from '../../../src/platform/shared/adapters/kubernetes/kubernetes-engine.ts'
import type { Containers, Engine, EngineRun } from '../../../src/platform/shared/domain/engine.ts'
import { imageRules } from '../../../src/platform/shared/domain/image-rules.ts'
import { noContainerUses } from '../../support/doubles/engine.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type Rudeness, statuses } from './simulated-cluster.ts'
import { simulatedKubernetes } from './simulated-kubernetes.ts'

const open: Array<{ close(): void }> = []
afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

async function rudeCluster(rudeness: Rudeness = {}, allowed = ['*']) {
  const cluster = await simulatedKubernetes(rudeness)
  open.push(cluster)
  const options = { kubeconfig: cluster.kubeconfig, namespace: undefined, owner: 'test', images: imageRules(allowed) }
  const engine = kubernetesEngine({ ...options, commands: undefined as unknown as Engine })
  return { ...cluster, engine, containers: engine.containers as Containers }
}

const run = (engine: Engine, more: Partial<EngineRun> = {}) =>
  engine.run({
    ...{ id: randomUUID(), in: { image: 'acme/task' }, command: [], env: {}, folders: [], memoryMb: 128, diskMb: 1 },
    ...{ timeoutSeconds: 60, stdin: '', signal: new AbortController().signal, ...more },
  })

const hostile = { fail: 0.1, busy: 0.1, drop: 0.3, repeat: 0.3, lateMs: 30, expired: 0.2 }

test('a task has the restricted profile, passes its output on, and its pod is removed', async () => {
  const { engine, pods, calls, policies } = await rudeCluster()
  let spec: unknown
  const kept = pods.set.bind(pods)
  pods.set = (name, pod) => {
    spec = pod.spec
    return kept(name, pod)
  }

  expect(await run(engine)).toEqual({ outcome: 'exited', code: 0, stdout: 'hello', stderr: '' })
  expect([pods.size, calls.at(-1), [...policies]]).toEqual([0, 'DELETE /pods', ['causeway-workloads']])
  expect(spec).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        imagePullPolicy: 'IfNotPresent',
        resources: { limits: { memory: '128Mi', cpu: '0.5', 'ephemeral-storage': '33Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  })
})

test('twenty tasks end while events are late, repeated, lost and reordered, and calls fail', async () => {
  const { engine, pods, calls } = await rudeCluster({ chances: hostile })

  const ends = await Promise.all(Array.from({ length: 20 }, () => run(engine)))

  const started = ends.filter(({ outcome }) => outcome !== 'unavailable')
  expect(started.map(({ outcome, stdout }) => [outcome, stdout])).toEqual(started.map(() => ['exited', 'hello']))
  expect(started.length).toBeGreaterThan(10)
  expect(calls.filter((call) => call === 'POST /pods').length).toBeLessThan(40)
  // Those whose removal failed are collected.
  for (const found of await list(engine)) await engine.containers?.remove(found).catch(() => {})
  await waitFor('no pod is left', async () => {
    for (const found of await list(engine)) await engine.containers?.remove(found).catch(() => {})
    return pods.size === 0
  })
})

const list = (engine: Engine) => engine.containers?.list().catch(() => []) ?? Promise.resolve([])

test.each([
  ['cannot read the network policy', { 'GET /networkpolicies': 500 }],
  ['may not create the network policy', { 'POST /networkpolicies': 403 }],
  ['cannot create the pod', { 'POST /pods': 500 }],
  ['drops the connection while it creates the pod', { 'POST /pods': 'drop' as const }],
  ['has a pod of this name', { 'POST /pods': 409 }],
  ['rejects the pod', { 'POST /pods': 422 }],
])('a cluster that %s gets no second call, and no pod is left', async (_what, answers) => {
  const { engine, calls, pods } = await rudeCluster({ answers })

  const end = await run(engine)

  expect([end.outcome, end.stdout]).toEqual(['unavailable', ''])
  expect(calls.filter((call) => call === 'POST /pods').length).toBeLessThan(2)
  if (calls.includes('POST /pods')) expect(calls.at(-1)).toBe('DELETE /pods')
  expect(pods.size).toBe(0)
})

const evicted = (message: string) => ({ phase: 'Failed', reason: 'Evicted', message })

test.each([
  ['a code', statuses.ended(3, 'Error'), { outcome: 'exited', code: 3 }],
  ['too much memory', statuses.ended(137, 'OOMKilled'), { outcome: 'out_of_memory' }],
  ['a program that does not exist', statuses.ended(128, 'StartError'), { outcome: 'not_started' }],
  ['a full disk', evicted('Usage of EmptyDir volume "home" exceeds the limit "1Mi".'), { outcome: 'disk_full' }],
  ['a node without memory', evicted('The node was low on resource: memory.'), { outcome: 'signalled' }],
  ['its deadline', { phase: 'Failed', reason: 'DeadlineExceeded' }, { outcome: 'timeout' }],
  ['no image', statuses.waiting('ErrImagePull'), { outcome: 'unavailable', reason: /acme\/task/ }],
])('a task that ends by %s is reported so', async (_what, status, { reason, ...expected }: Record<string, unknown>) => {
  const { engine } = await rudeCluster({ statusOf: () => [statuses.pending, status] })

  const end = await run(engine)

  expect(end).toMatchObject(expected)
  if (reason) expect(end.reason).toMatch(reason as RegExp)
})

test('a task ends at its timeout and when its signal is aborted, also if no event says so', async () => {
  const { engine, pods } = await rudeCluster({ statusOf: () => [statuses.running], chances: { drop: 1 } })
  const stop = new AbortController()

  const stopped = run(engine, { signal: stop.signal })
  await waitFor('it runs', () => [...pods.values()].some(({ status }) => status?.phase === 'Running'))
  stop.abort()

  expect((await stopped).outcome).toBe('signalled')
  expect((await run(engine, { timeoutSeconds: 1 })).outcome).toBe('timeout')
  expect(pods.size).toBe(0)
})

test('only allowed images run, and without any, nodes pull nothing', async () => {
  const { containers, pods } = await rudeCluster({}, ['docker.io/acme/'])
  const unnamed = await rudeCluster({}, [])

  const refused = await containers.keep({ id: 'a', image: 'docker.io/other/box', memoryMb: 64 })
  const kept = [
    await containers.keep({ id: 'b', image: 'acme/box', memoryMb: 64 }),
    await unnamed.containers.keep({ id: 'c', image: 'acme/box', memoryMb: 64 }),
  ]

  expect(refused.problem).toContain('ENGINE_IMAGES')
  expect(kept).toEqual([{}, {}])
  const policies = [pods, unnamed.pods].map((all) =>
    [...all.values()].map(({ spec }) => spec.containers[0].imagePullPolicy),
  )
  expect(policies).toEqual([['IfNotPresent'], ['Never']])
})

test('an image is pulled by one pod for all callers, and at most four images at the same time', async () => {
  let most = 0
  const { containers, pods, calls } = await rudeCluster({
    statusOf: () => {
      most = Math.max(most, pods.size)
      return [statuses.pending, statuses.running]
    },
  })
  const images = Array.from({ length: 12 }, (_, at) => `acme/box-${at}`)

  await Promise.all([...images, ...images, ...images].map((image) => containers.fetch(image)))
  await containers.fetch('acme/box-1')

  expect([calls.filter((call) => call === 'POST /pods').length, pods.size]).toEqual([images.length, 0])
  expect(most).toBeLessThanOrEqual(4)
})

test('an image that could not be pulled is pulled again by the next call', async () => {
  const { containers, calls } = await rudeCluster({ statusOf: () => [statuses.waiting('ErrImagePull')] })

  const problems = [await containers.fetch('acme/box'), await containers.fetch('acme/box')]

  expect(problems.map(({ problem }) => problem)).toEqual([expect.stringContaining('acme/box'), problems[0]?.problem])
  expect(calls.filter((call) => call === 'POST /pods').length).toBe(2)
})

test('a cluster that cannot be reached is a problem and runs nothing', async () => {
  const cluster = await rudeCluster()
  cluster.close()
  open.length = 0

  expect(await cluster.engine.problem()).toContain('cluster')
  expect(await run(cluster.engine)).toMatchObject({
    outcome: 'unavailable',
    reason: expect.stringContaining('cluster'),
  })
})

const amount = 30

test('all wanted sandboxes converge on a hostile cluster with a bounded number of calls', async () => {
  const { containers, pods, claims, calls, report } = await rudeCluster({ chances: hostile })
  const wanted = Array.from({ length: amount }, (_, at) => ({
    id: `${at}`,
    image: 'acme/box',
    memoryMb: 128,
    isWanted: true,
  }))
  const kept = { current: wanted }
  const work = keepContainers({
    containers,
    workloads: {
      sandboxesWithImages: async () => kept.current,
      servedImages: async () => [],
      servedContainer: async () => undefined,
      removedStorage: async () => [],
    },
    sandboxUses: { idle: async () => [], claimStop: async () => false, endStop: async () => {} },
    containerUses: noContainerUses,
    isContainer: () => true,
    log: () => {},
    // No failure delays the next start.
    now: () => new Date(calls.length * 600_000),
  })
  const running = () => [...pods.values()].filter(({ status }) => status?.phase === 'Running').length
  const converge = (count: number) =>
    waitFor(
      `${count} run`,
      async () => {
        await work().catch(() => {})
        return running() === count && pods.size === count && claims.size === count
      },
      { withinMs: 25_000 },
    )

  await converge(amount)
  const first = calls.length / amount
  for (const name of [...pods.keys()].slice(0, amount / 2)) report(name, statuses.ended(137, 'Error'))
  await converge(amount)
  kept.current = wanted.slice(amount / 2)
  await converge(amount / 2)

  expect(first).toBeLessThan(20)
  expect(calls.length / amount).toBeLessThan(40)
})

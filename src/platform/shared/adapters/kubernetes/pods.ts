import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { V1Pod, V1PodSpec } from '@kubernetes/client-node'
import { ttlCache } from '../../../../kit/cache/ttl-cache.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { turns } from '../../../../kit/process/turns.ts'
import type { Containers } from '../../domain/engine.ts'
import type { ImageRules } from '../../domain/image-rules.ts'
import { labels, type Named } from '../engines/own-containers.ts'
import { watchAgain } from '../engines/watch-again.ts'
import { keepPod } from './keep-pod.ts'
import { type KubernetesApi, patiently, unlessGone } from './kubernetes-api.ts'
import { podCalls } from './pod-calls.ts'
import { runPod } from './pod-settings.ts'
import { isEnded, isLeaving, isUncreated, type Start } from './pod-state.ts'
import { problemOf, refusalOf } from './problems.ts'

export type OwnPods = ReturnType<typeof podsOf>

type Options = { owner: string; images: ImageRules; sharedStorage: string | undefined }

export function podsOf(api: KubernetesApi, options: Options) {
  const { core, namespace } = api
  const { owner, images } = options
  const calls = podCalls(api, owner)
  const keep = keepPod(api, calls, options)

  async function started(image: string, wanted: readonly Start[], start: () => Promise<Start | undefined>) {
    const problem = images.problem(image) ?? (await calls.policyProblem())
    if (problem !== undefined) return { problem }
    return start().then(
      (state) => problemOf(state, image, wanted),
      (error) => refusalOf(error, image),
    )
  }

  const takeTurn = turns(maxPulls)
  const pulls = ttlCache(pull, { ttlMs: keptPullMs, capacity: 1_000 })

  /** Kubernetes pulls images only for pods, so this starts and removes a pod with the image. */
  async function pull(image: string): Promise<{ problem?: string }> {
    const end = await takeTurn('')
    const name = `causeway-pull-${randomUUID()}`
    const limits = {
      image: images.reference(image),
      mayPull: images.mayPull(image),
      memoryMb: 64,
      diskMb: 1,
      env: {},
      workingFolder: '/',
      hasInput: false,
    }
    const spec = runPod({ ...limits, command: ['/bin/sh', '-c', ':'], maxSeconds: maxPullMs / 1_000 })
    const isPulled = (pod?: V1Pod) => (pod && isUncreated(pod) ? ('ended' as const) : undefined)
    return started(image, ['running', 'ended'], async () => {
      await calls.create(calls.metadataOf(name, 'pull'), spec)
      return calls.awaitStart(name, isPulled, AbortSignal.timeout(maxPullMs))
    })
      .finally(() => calls.delete(name).catch(ignoreError('it is removed with a later list')))
      .finally(end)
  }

  return {
    images,
    nameOf: calls.nameOf,
    policyProblem: calls.policyProblem,
    until: calls.until,
    awaitStart: calls.awaitStart,

    createRun(id: string, spec: V1PodSpec): Promise<boolean> {
      return calls.create(calls.metadataOf(calls.nameOf({ kind: 'run', id }), 'run', id), spec)
    },

    async fetch(image): Promise<{ problem?: string }> {
      const fetched = await pulls.get(image)
      if (fetched.problem !== undefined) pulls.forget(image)
      return fetched
    },

    keep: (kept, until = 'running'): Promise<{ problem?: string }> =>
      started(kept.image, ['running'], () => (until === 'asked' ? keep.asked(kept) : keep.started(kept))),

    async stop(id) {
      const name = calls.nameOf({ kind: 'kept', id })
      const pod = await calls.find(name)
      if (pod) await calls.remove(name, pod.metadata?.uid, AbortSignal.timeout(maxRemoveMs))
    },

    async remove(named) {
      const name = calls.nameOf(named)
      if (named.kind !== 'volume') await calls.delete(name)
      if (named.kind === 'run') return
      const signal = AbortSignal.timeout(maxRemoveMs)
      await unlessGone(() => core.deleteNamespacedPersistentVolumeClaim({ name, namespace }))
      const isLeft = () => unlessGone(() => core.readNamespacedPersistentVolumeClaim({ name, namespace }))
      // A new one may get the name of a home folder at once, but never that of a volume.
      while (named.kind === 'kept' && !signal.aborted && (await isLeft())) await pause(200)
    },

    async list() {
      const ours = { namespace, labelSelector: calls.selector }
      const all = await everyOf((page) => core.listNamespacedPod({ ...ours, ...page }))
      const claims = await everyOf((page) => core.listNamespacedPersistentVolumeClaim({ ...ours, ...page }))
      for (const { metadata } of all.filter(isLeftPull)) await calls.delete(metadata?.name ?? '')
      const pods = all
        .filter((pod) => !isPull(pod))
        .map((pod) => ({ ...namedBy(pod), isRunning: !isLeaving(pod) && !isEnded(pod) }))
      const withPod = new Set(pods.filter(({ kind }) => kind === 'kept').map(({ id }) => id))
      // Volumes of sandboxes that are stopped, or whose removal was interrupted.
      const left = claims.map(namedBy).filter(({ id }) => !withPod.has(id))
      return [...pods, ...left.map((named) => ({ ...named, isRunning: false }))]
    },

    async watch(onEnd, signal) {
      const labelSelector = `${calls.selector},${labels.kind}=kept`
      const onEvent = (type: string, pod: unknown) => {
        if (type === 'DELETED' || (type === 'MODIFIED' && isEnded(pod as V1Pod))) onEnd()
      }
      await watchAgain(async () => {
        const { metadata } = await core.listNamespacedPod({ namespace, labelSelector, limit: 1 })
        await api.watchPods({ labelSelector, resourceVersion: metadata?.resourceVersion ?? '' }, onEvent, signal)
      }, signal)
    },
  } satisfies Containers & Record<string, unknown>
}

const maxPullMs = 10 * 60_000
/** Of all workspaces, in this process. */
const maxPulls = 4
const keptPullMs = 5 * 60_000
const maxRemoveMs = 20_000

const isPull = ({ metadata }: V1Pod) => metadata?.labels?.[labels.kind] === 'pull'

const isLeftPull = (pod: V1Pod) =>
  isPull(pod) && Date.now() - Number(pod.metadata?.creationTimestamp ?? 0) > 2 * maxPullMs

const kinds = ['kept', 'run', 'volume'] as const

const namedBy = ({ metadata }: Pick<V1Pod, 'metadata'>): Named => ({
  kind: kinds.find((kind) => metadata?.labels?.[labels.kind] === kind) ?? 'run',
  id: metadata?.annotations?.[labels.id] ?? '',
})

const pageSize = 500

type Page<T> = { items: T[]; metadata?: { _continue?: string } }

async function everyOf<T>(read: (page: { limit: number; _continue?: string }) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = []
  let next: string | undefined
  do {
    const { items, metadata } = await patiently(() => read({ limit: pageSize, ...(next && { _continue: next }) }))
    all.push(...items)
    next = metadata?._continue
  } while (next)
  return all
}

import type { V1PersistentVolumeClaimSpec, V1Pod } from '@kubernetes/client-node'
import { sharedCalls } from '../../../../kit/process/shared-calls.ts'
import type { KeptContainer, VolumeMount } from '../../domain/engine.ts'
import type { ImageRules } from '../../domain/image-rules.ts'
import { labels, type Named, shapeOf } from '../engines/own-containers.ts'
import { type KubernetesApi, unlessThere } from './kubernetes-api.ts'
import type { PodCalls } from './pod-calls.ts'
import { homeClaim, keptPod, volumeClaim } from './pod-settings.ts'
import { isEnded, isLeaving, type Start } from './pod-state.ts'

const maxKeepMs = 60_000

type Options = { images: ImageRules; sharedStorage: string | undefined }

/** Each step is idempotent, also beside another process. */
export const keepPod = ({ core, namespace }: KubernetesApi, calls: PodCalls, { images, sharedStorage }: Options) => {
  const startOnce = sharedCalls<Start | undefined>()
  return {
    started: (kept: KeptContainer) => startOnce(`${kept.id} ${shapeOf(kept, kept.image)}`, () => start(kept)),

    /** Creates the pod, or removes one that ended or differs, so that the next call creates it. */
    async asked(kept: KeptContainer): Promise<Start> {
      const name = calls.nameOf({ kind: 'kept', id: kept.id })
      const pod = await calls.find(name)
      if (!pod) await create(kept)
      else if (!isLeaving(pod) && (isEnded(pod) || !hasShape(pod, kept))) await calls.leave(name, pod.metadata?.uid)
      return 'running'
    },
  }

  async function start(kept: KeptContainer): Promise<Start | undefined> {
    const name = calls.nameOf({ kind: 'kept', id: kept.id })
    const isCurrent = (pod: V1Pod) => !isLeaving(pod) && hasShape(pod, kept)
    const signal = AbortSignal.timeout(maxKeepMs)
    while (!signal.aborted) {
      const pod = await calls.find(name)
      const isNew = !(pod && isCurrent(pod) && !isEnded(pod))
      if (isNew && pod) await calls.remove(name, pod.metadata?.uid, signal)
      if (isNew) await create(kept)
      const state = await calls.awaitStart(name, (now) => (now && !isCurrent(now) ? 'gone' : undefined), signal)
      // A new pod that has ended would end again.
      if (state !== 'gone' && (isNew || state !== 'ended')) return state
    }
    return undefined
  }

  async function create(kept: KeptContainer): Promise<void> {
    const home = { kind: 'kept', id: kept.id } as const
    const name = calls.nameOf(home)
    if (!kept.serves) await claim(home, homeClaim)
    for (const mount of kept.mounts ?? []) await claim(volumeOf(mount), volumeClaim(mount, sharedStorage))
    await calls.create(
      calls.metadataOf(name, 'kept', kept.id, shapeOf(kept, kept.image)),
      keptPod(
        { ...kept, image: images.reference(kept.image), mayPull: images.mayPull(kept.image) },
        { home: name, of: (mount) => calls.nameOf(volumeOf(mount)) },
      ),
    )
  }

  async function claim(named: Named, spec: V1PersistentVolumeClaimSpec): Promise<void> {
    const body = { metadata: calls.metadataOf(calls.nameOf(named), named.kind, named.id), spec }
    await unlessThere(() => core.createNamespacedPersistentVolumeClaim({ namespace, body }))
  }
}

const volumeOf = ({ volume: id }: VolumeMount): Named => ({ kind: 'volume', id })

const hasShape = ({ metadata }: V1Pod, kept: KeptContainer): boolean =>
  metadata?.annotations?.[labels.shape] === shapeOf(kept, kept.image)

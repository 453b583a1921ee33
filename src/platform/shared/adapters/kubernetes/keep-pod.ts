import type { V1Pod } from '@kubernetes/client-node'
import { sharedCalls } from '../../../../kit/process/shared-calls.ts'
import type { KeptContainer } from '../../domain/engine.ts'
import type { ImageRules } from '../../domain/image-rules.ts'
import { labels, shapeOf } from '../engines/own-containers.ts'
import { type KubernetesApi, unlessThere } from './kubernetes-api.ts'
import type { PodCalls } from './pod-calls.ts'
import { homeClaim, keptPod } from './pod-settings.ts'
import { isEnded, isLeaving, type Start } from './pod-state.ts'

const maxKeepMs = 60_000

/** Each step is idempotent, also beside another process. */
export const keepPod = ({ core, namespace }: KubernetesApi, calls: PodCalls, images: ImageRules) => {
  const startOnce = sharedCalls<Start | undefined>()
  return (kept: KeptContainer) => startOnce(`${kept.id} ${shapeOf(kept, kept.image)}`, () => start(kept))

  async function start(kept: KeptContainer): Promise<Start | undefined> {
    const name = calls.nameOf({ kind: 'kept', id: kept.id })
    const shape = shapeOf(kept, kept.image)
    const isCurrent = (pod: V1Pod) => !isLeaving(pod) && pod.metadata?.annotations?.[labels.shape] === shape
    const signal = AbortSignal.timeout(maxKeepMs)
    while (!signal.aborted) {
      const pod = await calls.find(name)
      const isNew = !(pod && isCurrent(pod) && !isEnded(pod))
      if (isNew) await replace(kept, pod, signal)
      const state = await calls.awaitStart(name, (now) => (now && !isCurrent(now) ? 'gone' : undefined), signal)
      // A new pod that has ended would end again.
      if (state !== 'gone' && (isNew || state !== 'ended')) return state
    }
    return undefined
  }

  async function replace(kept: KeptContainer, pod: V1Pod | undefined, signal: AbortSignal): Promise<void> {
    const name = calls.nameOf({ kind: 'kept', id: kept.id })
    if (pod) await calls.remove(name, pod.metadata?.uid, signal)
    const claim = { metadata: calls.metadataOf(name, 'kept', kept.id), spec: homeClaim }
    await unlessThere(() => core.createNamespacedPersistentVolumeClaim({ namespace, body: claim }))
    await calls.create(
      calls.metadataOf(name, 'kept', kept.id, shapeOf(kept, kept.image)),
      keptPod({ ...kept, image: images.reference(kept.image), mayPull: images.mayPull(kept.image) }, name),
    )
  }
}

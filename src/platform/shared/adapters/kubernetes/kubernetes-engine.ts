import { within } from '../../../../kit/process/background-work.ts'
import { noAccountsInContainers } from '../../domain/account-door.ts'
import { type Engine, notStarted } from '../../domain/engine.ts'
import type { ImageRules } from '../../domain/image-rules.ts'
import { connectPort } from './connect-port.ts'
import { execInPod } from './exec-in-pod.ts'
import { openKubernetesApi } from './kubernetes-api.ts'
import { podsOf } from './pods.ts'
import { noAnswer } from './problems.ts'
import { runOnce } from './run-pod.ts'

type Options = {
  kubeconfig: string | undefined
  /** By default, that of the kubeconfig or of this pod. */
  namespace: string | undefined
  /** Tells pods of this platform from others in the namespace. */
  owner: string
  images: ImageRules
  /** A storage class for volumes and drives that several nodes can write. */
  sharedStorage?: string | undefined
  /** Runs what has no image. */
  commands: Engine
}

/** Runs images as pods. */
export function kubernetesEngine({ kubeconfig, namespace, owner, images, sharedStorage, commands }: Options): Engine {
  const api = openKubernetesApi(kubeconfig, namespace)
  const parts = { api, pods: podsOf(api, { owner, images, sharedStorage }) }
  return {
    kind: 'kubernetes',
    problem: async () => {
      const answer = await within(
        parts.pods.policyProblem().then((problem = '') => problem),
        maxProblemMs,
      )
      return answer === '' ? undefined : (answer ?? noAnswer)
    },
    async run(run) {
      if (run.in === undefined) return commands.run(run)
      if (run.door) return notStarted('unavailable', noAccountsInContainers)
      if (run.signal.aborted) return notStarted('signalled')
      return 'image' in run.in ? runOnce(parts, run, run.in.image) : execInPod(parts, run, run.in.kept)
    },
    containers: { ...parts.pods, mountsVolumes: true, connect: (kept, port) => connectPort(parts, kept, port) },
  }
}

const maxProblemMs = 2_000

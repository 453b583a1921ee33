import { setTimeout as pause } from 'node:timers/promises'
import type { V1Pod, V1PodSpec } from '@kubernetes/client-node'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { digest, labels, type Named, nameFor } from '../engines/own-containers.ts'
import { type KubernetesApi, statusOf, unlessGone, unlessThere } from './kubernetes-api.ts'
import { denyAll, policyName } from './pod-settings.ts'
import { type Start, startOf } from './pod-state.ts'
import { noAnswer } from './problems.ts'
import { timeLimit } from './time-limit.ts'

export type PodCalls = ReturnType<typeof podCalls>

/** `pull`: a pod that only pulls an image. */
type Kind = Named['kind'] | 'pull'

export function podCalls(api: KubernetesApi, owner: string) {
  const { core, networking, namespace } = api
  const ownerLabel = digest(owner)

  let policyUntil = 0

  const find = (name: string) => unlessGone(() => core.readNamespacedPod({ name, namespace }))

  const calls = {
    selector: `${labels.owner}=${ownerLabel}`,

    nameOf: (named: Named) => nameFor(owner, named),

    metadataOf: (name: string, kind: Kind, id = '', shape = '') => ({
      name,
      labels: { [labels.owner]: ownerLabel, [labels.kind]: kind },
      annotations: { [labels.id]: id, [labels.shape]: shape },
    }),

    find,

    /** False if a pod with this name exists. */
    create: (metadata: object, spec: V1PodSpec): Promise<boolean> =>
      unlessThere(() => core.createNamespacedPod({ namespace, body: { metadata, spec } })),

    /** Without a grace period: kubelets before 1.22 may forget a pod that is just starting (seen with 1.20). */
    async delete(name: string): Promise<void> {
      await unlessGone(() => core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 }))
    },

    /** Asks the pod to end. A newer pod with the same name stays. */
    async leave(name: string, uid: string | undefined): Promise<void> {
      const body = uid === undefined ? {} : { body: { preconditions: { uid } } }
      await unlessGone(() => core.deleteNamespacedPod({ name, namespace, ...body })).catch((error) => {
        if (statusOf(error) !== conflict) throw error
      })
    },

    /** Resolves when the pod is removed, or when the signal is aborted. */
    async remove(name: string, uid: string | undefined, signal: AbortSignal): Promise<void> {
      await calls.leave(name, uid)
      const isGone = (pod?: V1Pod) => (pod === undefined || pod.metadata?.uid !== uid ? true : undefined)
      await calls.until(name, isGone, signal)
    },

    /** Undefined if the namespace has the policy that denies all connections, or if it could be created. */
    async policyProblem(): Promise<string | undefined> {
      if (Date.now() < policyUntil) return
      try {
        if (!(await unlessGone(() => networking.readNamespacedNetworkPolicy({ name: policyName, namespace }))))
          await unlessThere(() => networking.createNamespacedNetworkPolicy({ namespace, body: denyAll }))
        policyUntil = Date.now() + keptPolicyMs
      } catch (error) {
        return statusOf(error) === forbidden ? noPolicy : noAnswer
      }
    },

    /**
     * Reads the pod until `answer` is defined. An event only triggers another read, so late, repeated and lost events
     * do no harm. Undefined if the signal is aborted.
     */
    async until<T>(name: string, answer: (pod?: V1Pod) => T | undefined, signal: AbortSignal): Promise<T | undefined> {
      for (let failures = 0; !signal.aborted; ) {
        try {
          const pod = await find(name)
          const found = answer(pod)
          if (found !== undefined) return found
          failures = (await hinted(name, pod, signal)) ? 0 : failures + 1
        } catch {
          failures++
        }
        const waitMs = Math.min(25 * 2 ** failures, maxPauseMs)
        await pause(waitMs, undefined, { signal }).catch(ignoreError('it was stopped'))
      }
    },

    /** `answer` decides before the usual rules do. */
    awaitStart(name: string, answer: (pod?: V1Pod) => Start | undefined, signal: AbortSignal) {
      const begin = Date.now()
      return calls.until(name, (pod) => answer(pod) ?? startOf(pod, Date.now() - begin < patienceMs), signal)
    },
  }

  /** Ends at the first event after this state of the pod, or after `maxUnreadMs`. */
  async function hinted(name: string, pod: V1Pod | undefined, signal: AbortSignal): Promise<boolean> {
    const limit = timeLimit(maxUnreadMs, signal)
    const { resourceVersion } = pod?.metadata ?? {}
    const query = { fieldSelector: `metadata.name=${name}`, ...(resourceVersion && { resourceVersion }) }
    let isHinted = false
    const onEvent = (type: string) => {
      isHinted = type !== 'ERROR'
      limit.end()
    }
    await api.watchPods(query, onEvent, limit.signal).finally(limit.close)
    return isHinted
  }

  return calls
}

const [conflict, forbidden] = [409, 403]

const maxPauseMs = 5_000
/** The policy is read again after this time. */
const keptPolicyMs = 5_000
/** A pod is read again after this time without an event. */
const maxUnreadMs = 5_000
/** A pod that cannot be started or scheduled may soon be. */
const patienceMs = 15_000

const noPolicy = `The cluster has no network policy ${policyName}, and the platform may not create it. Ask its operator.`

// Reads the status of a pod (https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/).
import type { V1Pod } from '@kubernetes/client-node'
import type { RunEnd } from '../../domain/engine.ts'

export type Start = 'running' | 'ended' | 'gone' | 'no image' | 'not startable' | 'no room'

/** The kubelet retries, so a temporary cause counts only if `isPatient` is false. */
export function startOf(pod: V1Pod | undefined, isPatient: boolean): Start | undefined {
  if (pod === undefined) return 'gone'
  if (isEnded(pod)) return 'ended'
  if (pod.status?.containerStatuses?.[0]?.state?.running) return 'running'
  if (imageReasons.has(waitingReason(pod))) return 'no image'
  if (isPatient) return undefined
  if (isUncreated(pod)) return 'not startable'
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  return scheduled?.reason === 'Unschedulable' ? 'no room' : undefined
}

const imageReasons = new Set(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'])

const createReasons = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'])

/** The image is there, but its container is not. */
export const isUncreated = (pod: V1Pod): boolean => createReasons.has(waitingReason(pod))

const waitingReason = ({ status }: V1Pod) => status?.containerStatuses?.[0]?.state?.waiting?.reason ?? ''

export const isLeaving = ({ metadata }: V1Pod): boolean => metadata?.deletionTimestamp !== undefined

export const isEnded = ({ status }: V1Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed' || terminated(status) !== undefined

const terminated = (status: V1Pod['status']) => status?.containerStatuses?.[0]?.state?.terminated

export type Exit = Omit<RunEnd, 'stdout' | 'stderr'>

/** Undefined while it runs. */
export function exitOf(pod: V1Pod | undefined): Exit | undefined {
  if (pod === undefined) return { outcome: 'signalled', code: undefined }
  if (!isEnded(pod)) return undefined
  const { reason = '', message = '' } = pod.status ?? {}
  if (reason === 'DeadlineExceeded') return { outcome: 'timeout', code: undefined }
  if (reason === 'Evicted' && /ephemeral|emptyDir|disk/i.test(message)) return { outcome: 'disk_full', code: undefined }
  const end = terminated(pod.status)
  if (!end || reason === 'Evicted') return { outcome: 'signalled', code: undefined }
  if (startErrors.has(end.reason ?? '')) return { outcome: 'not_started', code: undefined }
  const isOut = end.reason === 'OOMKilled' && end.exitCode !== 0
  return { outcome: isOut ? 'out_of_memory' : 'exited', code: end.exitCode }
}

const startErrors = new Set(['StartError', 'ContainerCannotRun'])

// Pods, claims and policies of a cluster with a kubelet, as the Kubernetes API has them. It can fail, repeat, drop and
// delay. Chances come from a fixed sequence, so that a failure can be repeated.

import type { V1Container, V1PersistentVolumeClaim, V1Volume } from '@kubernetes/client-node'

export type Pod = {
  metadata: { name: string; uid: string; resourceVersion: string; labels: Record<string, string> }
  spec: {
    containers: [V1Container]
    volumes: V1Volume[]
    restartPolicy: string
    terminationGracePeriodSeconds: number
  }
  status: { phase: string; reason?: string; message?: string; containerStatuses?: object[] }
}

export type Rudeness = {
  /** Answers of single calls, such as `POST /pods`; `drop` closes the connection. */
  answers?: Record<string, number | 'drop'>
  /** Of 0 to 1 for each call or event. */
  chances?: Partial<Record<'fail' | 'busy' | 'drop' | 'repeat' | 'lateMs' | 'expired' | 'lost', number>>
  /** What the kubelet reports after a pod was created. By default, tasks succeed and kept pods run. */
  statusOf?: (pod: Pod) => Pod['status'][]
  /** When the kubelet reports the next one. */
  later?: (report: () => void) => void
}

const containerStatus = (state: object) => [{ name: 'workload', state }]
export const statuses = {
  pending: { phase: 'Pending' },
  running: { phase: 'Running', containerStatuses: containerStatus({ running: {} }) },
  ended: (exitCode: number, reason = 'Completed') => ({
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: containerStatus({ terminated: { exitCode, reason } }),
  }),
  waiting: (reason: string) => ({ phase: 'Pending', containerStatuses: containerStatus({ waiting: { reason } }) }),
}

export const isTask = (pod: Pod) => pod.metadata.labels['causeway.kind'] !== 'kept'
const usual = (pod: Pod) => [statuses.pending, statuses.running, ...(isTask(pod) ? [statuses.ended(0)] : [])]

export type Call = {
  name: string
  query: URLSearchParams
  body?: { metadata: Pod['metadata']; preconditions?: { uid: string } } | undefined
}
type Answer = [status: number, body?: object]

const soon = (report: () => void) => void setTimeout(report, 5)

export function simulatedCluster({ answers = {}, chances = {}, statusOf = usual, later = soon }: Rudeness = {}) {
  const pods = new Map<string, Pod>()
  const claims = new Map<string, V1PersistentVolumeClaim>()
  const policies = new Set<string>()
  const watchers = new Set<(type: string, pod: Pod) => void>()
  const calls: string[] = []
  let [version, seed] = [100, 42]
  const chance = (of = 0) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31 < of
  }

  function tell(type: string, pod: Pod): void {
    pod.metadata.resourceVersion = `${version++}`
    for (const watcher of watchers) watcher(type, pod)
  }

  function report(name: string, status: Pod['status']): void {
    const pod = pods.get(name)
    if (!pod) return
    pod.status = status
    tell('MODIFIED', pod)
  }

  function reportAll(pod: Pod, [status, ...further]: Pod['status'][]): void {
    if (!status) return
    later(() => {
      if (pods.get(pod.metadata.name)?.metadata.uid !== pod.metadata.uid) return
      report(pod.metadata.name, status)
      reportAll(pod, further)
    })
  }

  function create(pod: Pod): Pod {
    Object.assign(pod.metadata, { uid: `uid-${version}`, creationTimestamp: new Date().toISOString() })
    tell('ADDED', pod)
    reportAll(pod, statusOf(pod))
    return pod
  }

  function remove(name: string): void {
    const pod = pods.get(name)
    if (!pod || !pods.delete(name)) return
    tell('DELETED', pod)
  }

  const handlers: Record<string, (call: Call) => Answer> = {
    'GET /networkpolicies': ({ name }) => [policies.has(name) ? 200 : 404],
    'POST /networkpolicies': ({ body }) => {
      policies.add(body?.metadata.name ?? '')
      return [201]
    },
    ...ofKind('pods', pods as Map<string, object>, (body) => create(body as Pod), remove),
    ...ofKind(
      'persistentvolumeclaims',
      claims as Map<string, object>,
      (body) => body,
      (name) => claims.delete(name),
    ),
  }

  function ofKind(
    kind: string,
    objects: Map<string, object>,
    make: (body: object) => object,
    end: (name: string) => unknown,
  ): typeof handlers {
    return {
      [`POST /${kind}`]({ body }) {
        const name = body?.metadata.name ?? ''
        if (objects.has(name)) return [409]
        objects.set(name, body as object)
        return [201, make(body as object)]
      },
      [`GET /${kind}`]({ name, query }) {
        if (name === '') return [200, pageOf([...objects.values()], query)]
        const found = objects.get(name)
        return found ? [200, found] : [404]
      },
      [`DELETE /${kind}`]({ name, body }) {
        const found = objects.get(name) as Pod | undefined
        if (!found) return [404]
        if (body?.preconditions && body.preconditions.uid !== found.metadata.uid) return [409]
        end(name)
        return [200, found]
      },
    }
  }

  function rudeStatus(call: string): number | undefined {
    if (chance(chances.busy)) return 429
    return !call.startsWith('POST') && chance(chances.fail) ? 500 : undefined
  }

  function pageOf(all: object[], query: URLSearchParams) {
    const from = Number(query.get('continue') ?? 0)
    const until = from + Number(query.get('limit') ?? all.length)
    const next = until < all.length ? { continue: `${until}` } : {}
    return { items: all.slice(from, until), metadata: { resourceVersion: `${version}`, ...next } }
  }

  return {
    ...{ pods, claims, policies, calls, answers, watchers, chance, report },

    /** Undefined if the connection is closed without an answer. */
    answer(call: string, read: Call): Answer | undefined {
      calls.push(call)
      const rude = answers[call] ?? rudeStatus(call)
      if (rude === 'drop') return undefined
      if (rude !== undefined) return [rude]
      const answer = handlers[call]?.(read) ?? [404]
      return chance(chances.lost) ? [500] : answer
    },
  }
}

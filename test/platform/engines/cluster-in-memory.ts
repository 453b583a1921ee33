// The methods of the Kubernetes client that pods need, without HTTP.
import type { KubernetesApi } from '../../../src/platform/shared/adapters/kubernetes/kubernetes-api.ts'
import { type Call, type Pod, type Rudeness, simulatedCluster } from './simulated-cluster.ts'

/** One for each status: most of the time of the test would go into their stacks. */
const refusals = new Map<number, Error>()
function refusal(code: number): Error {
  const error = refusals.get(code) ?? Object.assign(new Error(`${code}`), { code, headers: { 'retry-after': '0.001' } })
  refusals.set(code, error)
  return error
}

const noQuery = new URLSearchParams()
const pageQuery = ({ limit, _continue }: Asked) =>
  new URLSearchParams({ limit: `${limit}`, ...(_continue && { continue: _continue }) })

type Asked = { name?: string; body?: Call['body']; limit?: number; _continue?: string }

export function clusterInMemory(rudeness: Rudeness = {}) {
  const cluster = simulatedCluster(rudeness)
  const call = (of: string) => async (asked: Asked) => {
    const query = asked.limit === undefined ? noQuery : pageQuery(asked)
    const [status, answer] = cluster.answer(of, { name: asked.name ?? '', query, body: asked.body }) ?? [500]
    if (status >= 400) throw refusal(status)
    const { metadata } = (answer ?? {}) as { metadata?: { continue?: string } }
    return { ...answer, ...(metadata && { metadata: { ...metadata, _continue: metadata.continue } }) }
  }
  async function watchPods(
    query: { fieldSelector?: string; resourceVersion?: string },
    onEvent: (type: string, pod: unknown) => void,
    signal: AbortSignal,
  ) {
    const name = query.fieldSelector?.replace('metadata.name=', '')
    const isNew = ({ metadata }: Pod) => Number(metadata.resourceVersion) > Number(query.resourceVersion ?? 0)
    const watcher = (type: string, pod: Pod) => {
      if (name === undefined || pod.metadata.name === name) onEvent(type, pod)
    }
    cluster.watchers.add(watcher)
    for (const pod of cluster.pods.values()) if (isNew(pod)) watcher('MODIFIED', pod)
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    cluster.watchers.delete(watcher)
  }
  const api = {
    namespace: 'test',
    watchPods,
    readLog: async (_pod: string, _container: string, add: (chunk: Buffer) => void) => add(Buffer.from('hello')),
    core: {
      createNamespacedPod: call('POST /pods'),
      readNamespacedPod: call('GET /pods'),
      deleteNamespacedPod: call('DELETE /pods'),
      listNamespacedPod: call('GET /pods'),
      createNamespacedPersistentVolumeClaim: call('POST /persistentvolumeclaims'),
      readNamespacedPersistentVolumeClaim: call('GET /persistentvolumeclaims'),
      deleteNamespacedPersistentVolumeClaim: call('DELETE /persistentvolumeclaims'),
      listNamespacedPersistentVolumeClaim: call('GET /persistentvolumeclaims'),
    },
    networking: {
      readNamespacedNetworkPolicy: call('GET /networkpolicies'),
      createNamespacedNetworkPolicy: call('POST /networkpolicies'),
    },
  }
  return { cluster, api: api as unknown as KubernetesApi }
}

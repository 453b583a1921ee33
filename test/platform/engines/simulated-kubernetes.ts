// The part of the Kubernetes API that the engine uses, with a kubelet. It can delay, repeat, drop and reorder events, and
// answer rudely. Chances come from a fixed sequence, so that a failure can be repeated.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Pod = {
  metadata: { name: string; uid: string; resourceVersion: string; labels: Record<string, string> }
  spec: {
    containers: [{ image: string; imagePullPolicy?: string }]
    restartPolicy: string
    terminationGracePeriodSeconds: number
  }
  status: { phase: string; reason?: string; message?: string; containerStatuses?: object[] }
}

export type Rudeness = {
  /** Answers of single calls, such as `POST /pods`; `drop` closes the connection. */
  answers?: Record<string, number | 'drop'>
  /** Of 0 to 1 for each call or event. */
  chances?: { fail?: number; busy?: number; drop?: number; repeat?: number; lateMs?: number; expired?: number }
  /** What the kubelet reports after a pod was created. By default, tasks succeed and kept pods run. */
  statusOf?: (pod: Pod) => Pod['status'][]
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

const isTask = (pod: Pod) => pod.metadata.labels['causeway.kind'] !== 'kept'
const usual = (pod: Pod) => [statuses.pending, statuses.running, ...(isTask(pod) ? [statuses.ended(0)] : [])]

export async function simulatedKubernetes({ answers = {}, chances = {}, statusOf = usual }: Rudeness = {}) {
  const pods = new Map<string, Pod>()
  const claims = new Map<string, object>()
  const policies = new Set<string>()
  const watchers = new Set<{ res: ServerResponse; matches: (pod: Pod) => boolean }>()
  const calls: string[] = []
  let [version, seed] = [100, 42]
  const chance = (of = 0) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31 < of
  }

  function tell(type: string, pod: Pod): void {
    pod.metadata.resourceVersion = `${version++}`
    const line = `${JSON.stringify({ type, object: pod })}\n`
    for (const { res, matches } of watchers) if (matches(pod) && !chance(chances.drop)) write(res, line)
  }

  function write(res: ServerResponse, line: string): void {
    const lateMs = chance(0.5) ? (chances.lateMs ?? 0) : 0
    setTimeout(() => res.write(line), lateMs)
    if (chance(chances.repeat)) setTimeout(() => res.write(line), chances.lateMs)
  }

  function report(name: string, status: Pod['status']): void {
    const pod = pods.get(name)
    if (!pod) return
    pod.status = status
    tell('MODIFIED', pod)
  }

  function reportAll(pod: Pod, [status, ...later]: Pod['status'][]): void {
    setTimeout(() => {
      if (!status || pods.get(pod.metadata.name)?.metadata.uid !== pod.metadata.uid) return
      report(pod.metadata.name, status)
      reportAll(pod, later)
    }, 5)
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

  type Call = {
    name: string
    query: URLSearchParams
    body?: { metadata: Pod['metadata']; preconditions?: { uid: string } }
  }
  type Answer = [status: number, body?: object]

  const handlers: Record<string, (call: Call) => Answer> = {
    'GET /networkpolicies': ({ name }) => [policies.has(name) ? 200 : 404],
    'POST /networkpolicies': ({ body }) => {
      policies.add(body?.metadata.name ?? '')
      return [201]
    },
    ...ofKind('pods', pods as Map<string, object>, (body) => create(body as Pod), remove),
    ...ofKind(
      'persistentvolumeclaims',
      claims,
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

  const server = createServer(async (req, res) => {
    const { call, isWatch, isLog, ...read } = await readCall(req)
    calls.push(call)
    const rude = answers[call] ?? rudeStatus(req.method)
    if (rude === 'drop') return req.socket.destroy()
    if (rude === undefined && isWatch) return watch(read.query, res)
    if (rude === undefined && isLog) return res.writeHead(200).end('hello')
    const [status, answer = { kind: 'Status' }] = rude === undefined ? (handlers[call]?.(read) ?? [404]) : [rude]
    res.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0.01' }).end(JSON.stringify(answer))
  })

  function rudeStatus(method: string | undefined): number | undefined {
    if (chance(chances.busy)) return 429
    return method !== 'POST' && chance(chances.fail) ? 500 : undefined
  }

  function pageOf(all: object[], query: URLSearchParams) {
    const from = Number(query.get('continue') ?? 0)
    const until = from + Number(query.get('limit') ?? all.length)
    const next = until < all.length ? { continue: `${until}` } : {}
    return { items: all.slice(from, until), metadata: { resourceVersion: `${version}`, ...next } }
  }

  function watch(query: URLSearchParams, res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'application/json' })
    res.flushHeaders()
    if (chance(chances.expired)) {
      res.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410 } })}\n`)
      return
    }
    const name = query.get('fieldSelector')?.replace('metadata.name=', '')
    const since = Number(query.get('resourceVersion') ?? 0)
    const watcher = {
      res,
      matches: (pod: Pod) => (name === undefined ? !isTask(pod) : pod.metadata.name === name),
    }
    watchers.add(watcher)
    res.on('close', () => watchers.delete(watcher))
    for (const pod of pods.values())
      if (watcher.matches(pod) && Number(pod.metadata.resourceVersion) > since)
        res.write(`${JSON.stringify({ type: 'MODIFIED', object: pod })}\n`)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'simulated-kubernetes-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: address, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'test' } }],
      'current-context': 'c',
    }),
  )
  return {
    ...{ kubeconfig, pods, claims, policies, calls, answers, report },
    close() {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function readCall(req: IncomingMessage) {
  const { pathname, searchParams: query } = new URL(req.url ?? '', 'http://kubernetes')
  const [, kind = '', name = '', part = ''] = /namespaces\/test\/(\w+)\/?([^/]*)\/?(.*)$/.exec(pathname) ?? []
  const isWatch = query.get('watch') === 'true'
  const call = `${isWatch ? 'WATCH' : req.method} /${[kind, part].filter(Boolean).join('/')}`
  const text = (await req.toArray()).join('')
  return { call, isWatch, isLog: part === 'log', name, query, ...(text && { body: JSON.parse(text) }) }
}

// The part of the Kubernetes API that the engine uses, by HTTP. Its events may be late, repeated, lost and reordered.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isTask, type Pod, type Rudeness, simulatedCluster } from './simulated-cluster.ts'

export async function simulatedKubernetes(rudeness: Rudeness = {}) {
  const { chances = {} } = rudeness
  const cluster = simulatedCluster(rudeness)
  const { pods, claims, policies, calls, answers, watchers, chance, report } = cluster

  function write(res: ServerResponse, line: string): void {
    const lateMs = chance(0.5) ? (chances.lateMs ?? 0) : 0
    setTimeout(() => res.write(line), lateMs)
    if (chance(chances.repeat)) setTimeout(() => res.write(line), chances.lateMs)
  }

  const server = createServer(async (req, res) => {
    const { call, isWatch, isLog, ...read } = await readCall(req)
    const answered = cluster.answer(call, read)
    if (answered === undefined) return req.socket.destroy()
    const [status, answer = { kind: 'Status' }] = answered
    // The cluster has neither, so another status is a rude one.
    if (isWatch && status === 404) return watch(read.query, res)
    if (isLog && status === 404) return res.writeHead(200).end('hello')
    res.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0.01' }).end(JSON.stringify(answer))
  })

  function watch(query: URLSearchParams, res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'application/json' })
    res.flushHeaders()
    if (chance(chances.expired)) {
      res.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410 } })}\n`)
      return
    }
    const name = query.get('fieldSelector')?.replace('metadata.name=', '')
    const since = Number(query.get('resourceVersion') ?? 0)
    const matches = (pod: Pod) => (name === undefined ? !isTask(pod) : pod.metadata.name === name)
    const watcher = (type: string, pod: Pod) => {
      if (matches(pod) && !chance(chances.drop)) write(res, `${JSON.stringify({ type, object: pod })}\n`)
    }
    watchers.add(watcher)
    res.on('close', () => watchers.delete(watcher))
    for (const pod of pods.values())
      if (matches(pod) && Number(pod.metadata.resourceVersion) > since)
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

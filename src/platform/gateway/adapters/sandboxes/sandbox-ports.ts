import { type ClientRequest, request } from 'node:http'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { buildConnector } from 'undici'
import type { Containers, Engine, KeptContainer } from '../../../shared/domain/engine.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { noPorts, type SandboxPorts, type WorkloadTunnel } from '../../domain/sandbox/sandbox.ts'
import type { Headers, WorkloadAnswer } from '../../domain/workload.ts'
import { upstreamAddress, upstreams } from '../http-runtime.ts'

type Limits = { silentForMs: number }

/** Requests to ports inside containers. Each connection is a program in the container, so connections are kept. */
export function sandboxPorts(
  { containers }: Engine,
  { silentForMs }: Limits,
): SandboxPorts & { close(): Promise<void> } {
  const open = new LRUCache<string, KeptContainer>({ max: 10_000 })
  const servers = upstreams({ silentForMs, connections: maxConnections, connect: connector(containers, open) })
  return {
    serve: (kept, port) => (request) => {
      if (!containers?.connect) throw noPorts()
      open.set(kept.id, kept)
      const headers = { ...request.headers, host: `localhost:${port}` }
      return servers.at(`http://${kept.id}.${domain}:${port}`)({ ...request, headers })
    },
    async shakeHands(kept, port, { path, headers, signal }) {
      if (!containers?.connect) throw noPorts()
      const { pathTo } = upstreamAddress(`http://localhost:${port}`)
      const place = { method: 'GET', path: pathTo(path), headers: { ...headers, host: `localhost:${port}` } }
      const connection = await containers.connect(kept, port).catch(unreachable)
      const asked = request({ ...place, createConnection: () => connection as Socket })
      const stop = setTimeout(() => asked.destroy(), silentForMs)
      signal.addEventListener('abort', () => asked.destroy(), { once: true })
      asked.end()
      return answerTo(asked)
        .catch(unreachable)
        .finally(() => clearTimeout(stop))
    },
    close: () => servers.close(),
  }
}

const answerTo = (asked: ClientRequest) =>
  new Promise<WorkloadTunnel | WorkloadAnswer>((resolve, reject) => {
    asked.on('error', reject)
    asked.once('upgrade', ({ headers }, tunnel, head) => {
      tunnel.unshift(head)
      resolve({ headers: headers as Headers, tunnel })
    })
    asked.once('response', (answer) => {
      const { statusCode: status = 502, headers } = answer
      resolve({ status, headers: headers as Headers, body: answer })
    })
  })

function unreachable(cause: unknown): never {
  throw new Failure('workload_unavailable', 'The workload could not be reached.', { cause })
}

const maxConnections = 16

/** Names a container in the addresses here. Never resolved. */
const domain = 'sandbox.invalid'

const connector =
  (containers: Containers | undefined, open: LRUCache<string, KeptContainer>): buildConnector.connector =>
  ({ hostname, port }, done) => {
    const kept = open.get(hostname.slice(0, -domain.length - 1))
    if (!kept || !containers?.connect) return done(noPorts(), null)
    containers.connect(kept, Number(port || 80)).then(
      (connection) => done(null, connection as never),
      (error) => done(error, null),
    )
  }

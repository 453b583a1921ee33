import { LRUCache } from 'lru-cache'
import type { buildConnector } from 'undici'
import type { Containers, Engine, KeptContainer } from '../../../shared/domain/engine.ts'
import { noPorts, type SandboxPorts } from '../../domain/sandbox/sandbox.ts'
import { upstreams } from '../http-runtime.ts'

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
    close: () => servers.close(),
  }
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

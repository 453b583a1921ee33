import { hostname } from 'node:os'
import ipaddr from 'ipaddr.js'
import { listen } from '../http/http-server.ts'
import type { Metrics } from './metrics.ts'

type MetricsOptions = { host: string; metricsPort: number | undefined; names: readonly string[] }

/** Serves `/metrics` for Prometheus on a separate port, which need not be public. Without a port it does nothing. */
export async function listenForMetrics(
  { host, metricsPort, names }: MetricsOptions,
  metrics: Pick<Metrics, 'text' | 'contentType'>,
) {
  if (metricsPort === undefined) return { port: undefined, close: async () => {} }
  const server = await listen(
    async (req, res) => {
      if (!isOurHost(req.headers.host, names)) return void res.writeHead(421, plain).end(foreignHost)
      if (req.url !== '/metrics') return void res.writeHead(404).end()
      const text = await metrics.text().catch(() => undefined)
      if (text === undefined) return void res.writeHead(503).end()
      res.writeHead(200, { 'Content-Type': metrics.contentType }).end(text)
    },
    { host, port: metricsPort },
  )
  return { port: server.port, close: () => server.close(0) }
}

const plain = { 'Content-Type': 'text/plain' }
const foreignHost = 'Name this port by a private IP address, or by a host in ALLOWED_HOSTS.\n'

/** A page of another site can reach this port only through its own host name (DNS rebinding). */
function isOurHost(host = '', names: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '')
  const address = name.replace(/^\[(.*)\]$/, '$1')
  if (ipaddr.isValid(address) && ipaddr.process(address).range() !== 'unicast') return true
  const isAllowed = (allowed: string) => allowed === name || (allowed.startsWith('.') && name.endsWith(allowed))
  return ['localhost', hostname().toLowerCase(), ...names].some(isAllowed)
}

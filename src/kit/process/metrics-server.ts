import cluster from 'node:cluster'
import { listen } from '../http/http-server.ts'
import type { Figures } from './metrics.ts'

export type MetricsAddress = { host: string; metricsPort: number | undefined }

/**
 * A port of its own, so that what the world can reach never shows figures. Without a port there is none; where there
 * are several processes, the one that leads them has it.
 */
export async function listenForMetrics({ host, metricsPort }: MetricsAddress, metrics: Figures) {
  if (metricsPort === undefined || cluster.isWorker) return { port: undefined, close: async () => {} }
  const server = await listen(
    async (req, res) => {
      if (req.url !== '/metrics') return void res.writeHead(404).end()
      // A process that dies while it is asked leaves the question open.
      const text = await metrics.text().catch(() => undefined)
      if (text === undefined) return void res.writeHead(503).end()
      res.writeHead(200, { 'Content-Type': metrics.contentType }).end(text)
    },
    { host, port: metricsPort },
  )
  return { port: server.port, close: () => server.close(0) }
}

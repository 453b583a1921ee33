// The address that Prometheus reads metrics from.
import cluster from 'node:cluster'
import { listen } from '../http/http-server.ts'
import type { Figures } from './fork-metrics.ts'

export type MetricsAddress = { host: string; metricsPort: number | undefined }

/**
 * A port of its own, so that what the world can reach never shows figures. Without a port there is none; where there
 * are several processes, the one that leads them has it.
 */
export async function listenForMetrics({ host, metricsPort }: MetricsAddress, open: () => Figures) {
  if (metricsPort === undefined || cluster.isWorker) return { port: undefined, close: async () => {} }
  const figures = open()
  const server = await listen(
    async (req, res) => {
      if (req.url !== '/metrics') return void res.writeHead(404).end()
      const text = await figures.text().catch(() => undefined)
      if (text === undefined) return void res.writeHead(503).end()
      res.writeHead(200, { 'Content-Type': figures.contentType }).end(text)
    },
    { host, port: metricsPort },
  )
  return {
    port: server.port,
    async close() {
      figures.close?.()
      await server.close(0)
    },
  }
}

import { listen } from './http-server.ts'
import type { Metrics } from './metrics.ts'

export type MetricsAddress = { host: string; metricsPort: number | undefined }

/** A port of its own, so that what the world can reach never shows figures. Without a port there is none. */
export async function listenForMetrics({ host, metricsPort }: MetricsAddress, metrics: Metrics) {
  if (metricsPort === undefined) return { port: undefined, close: async () => {} }
  const server = await listen(
    async (req, res) => {
      if (req.url !== '/metrics') return void res.writeHead(404).end()
      res.writeHead(200, { 'Content-Type': metrics.contentType }).end(await metrics.text())
    },
    { host, port: metricsPort },
  )
  return { port: server.port, close: () => server.close(0) }
}

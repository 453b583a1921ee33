// Counts how often a program waits for another one: requests that overlap are one wait.
import diagnostics from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer, type Server } from 'node:net'
import { freePort } from '../../../src/kit/embedded/free-port.ts'

export function countedWaits() {
  const underWay = new Set<object>()
  const proxies: Server[] = []
  const watched = new Set<number>()
  let waits = 0
  const begin = (request: object) => {
    if (underWay.size === 0) waits++
    underWay.add(request)
  }
  const end = (request: object) => void underWay.delete(request)
  const isWatched = ({ socket }: IncomingMessage) => watched.has(socket.localPort ?? 0)
  const onStart = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    if (isWatched(request)) begin(request)
  }
  const onFinish = (message: unknown) =>
    end((message as { request: IncomingMessage; response: ServerResponse }).request)
  diagnostics.subscribe('http.server.request.start', onStart)
  diagnostics.subscribe('http.server.response.finish', onFinish)

  return {
    waits: () => waits,
    /** A URL of a proxy. From the first byte of a request to the first of its response the program waits. */
    async through(url: string): Promise<string> {
      const { hostname: host, port: targetPort } = new URL(url)
      const port = await freePort()
      const server = createServer((near) => {
        const far = connect({ host, port: Number(targetPort) })
        near.on('data', (chunk) => {
          begin(near)
          far.write(chunk)
        })
        far.on('data', (chunk) => {
          end(near)
          near.write(chunk)
        })
        near.on('close', () => {
          end(near)
          far.destroy()
        })
        far.on('close', () => near.destroy())
        for (const side of [near, far]) side.on('error', () => {})
      })
      proxies.push(server)
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      const through = new URL(url)
      through.host = `127.0.0.1:${port}`
      return through.href
    },
    /** Servers of this process, by their URL. */
    watch: (url: string) => void watched.add(Number(new URL(url).port)),
    close() {
      diagnostics.unsubscribe('http.server.request.start', onStart)
      diagnostics.unsubscribe('http.server.response.finish', onFinish)
      for (const server of proxies) server.close()
    },
  }
}

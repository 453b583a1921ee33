import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Browsers and proxies don't pipeline. More than this is a flood, and the connection is cut. */
const maxWaiting = 100

type Line = { isServing: boolean; waiting: Array<() => void> }

/**
 * Serves one request of a connection at a time, so that connections take turns: Node would otherwise start all requests
 * of a packet at once. The first rejected request ends a connection on which further requests wait.
 */
export function serveInTurns(serve: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>()
  return (req, res) => {
    const line = lines.get(req.socket) ?? { isServing: false, waiting: [] }
    lines.set(req.socket, line)
    if (!line.isServing) return start(line, serve, req, res)
    if (line.waiting.length >= maxWaiting) return void req.socket.destroy()
    line.waiting.push(() => start(line, serve, req, res))
  }
}

function start(line: Line, serve: RequestListener, req: IncomingMessage, res: ServerResponse): void {
  line.isServing = true
  res.once('close', () => {
    const next = line.waiting.shift()
    line.isServing = next !== undefined
    if (!next || req.socket.destroyed) return
    if (res.statusCode >= 400) return req.socket.destroySoon()
    setImmediate(next)
  })
  serve(req, res)
}

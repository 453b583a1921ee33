import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that are served at the same time. Their responses are sent in order anyway. */
const maxUnderWay = 4

/** Browsers and proxies don't pipeline. More than this is a flood, and the connection is cut. */
const maxWaiting = 100

type Line = { underWay: number; waiting: Array<() => void> }

/** Lets other connections take turns: Node would otherwise start all requests of a packet at once. */
export function serveInTurns(serve: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>()
  return (req, res) => {
    const line = lines.get(req.socket) ?? { underWay: 0, waiting: [] }
    lines.set(req.socket, line)
    if (line.underWay < maxUnderWay) return start(line, serve, req, res)
    if (line.waiting.length >= maxWaiting) return void req.socket.destroy()
    line.waiting.push(() => start(line, serve, req, res))
  }
}

function start(line: Line, serve: RequestListener, req: IncomingMessage, res: ServerResponse): void {
  line.underWay += 1
  res.once('close', () => {
    line.underWay -= 1
    const next = line.waiting.shift()
    if (next && !req.socket.destroyed) setImmediate(next)
  })
  serve(req, res)
}

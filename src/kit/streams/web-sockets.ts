import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ignoreError } from '../process/ignore-error.ts'

/** The first bytes after a handshake, by its request. */
const heads = new WeakMap<IncomingMessage, Buffer>()

/** Undefined if the response can't become a tunnel. Bytes beside a handshake belong to the tunnel. */
export const tunnelHead = (req: IncomingMessage): Buffer | undefined => heads.get(req)

/**
 * Serves WebSocket handshakes (RFC 6455) as requests whose response can become a tunnel. Declines other upgrades: the
 * request is served without its `Upgrade` (RFC 9110, section 7.8). Returns a function that cuts all tunnels.
 */
export function serveWebSockets(server: Server): () => void {
  const answering = new WeakMap<Socket, ServerResponse>()
  const open = new Set<Socket>()
  server.on('request', ({ socket }, res) => answering.set(socket, res))
  server.on('upgrade', (req, duplex, head) => {
    const socket = duplex as Socket
    socket.on('error', nobodyReads)
    // Its response and that of an earlier request would be mixed.
    if (answering.get(socket)?.closed === false) return void socket.destroy()
    if (!isHandshake(req)) {
      // A connection may send any number of such requests.
      socket.off('error', nobodyReads)
      socket.unshift(Buffer.concat([withoutUpgrade(req), head]))
      // Starts to read requests again (Node's documentation of this event).
      return void server.emit('connection', socket)
    }
    heads.set(req, head)
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const res = new ServerResponse(req)
    res.shouldKeepAlive = false
    res.assignSocket(socket)
    res.once('finish', () => socket.destroySoon())
    server.emit('request', req, res)
  })
  return () => {
    for (const socket of open) socket.destroy()
  }
}

const nobodyReads = ignoreError('the connection closes after an error')

const isHandshake = ({ method, httpVersion, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  httpVersion === '1.1' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!/^upgrade$/i.test(rawHeaders[at] ?? '')) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

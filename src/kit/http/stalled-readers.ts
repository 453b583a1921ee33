import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Far below any usable network, and four times the default of Kestrel (`KestrelServerLimits.MinResponseDataRate`). */
const minBytesPerSecond = 1_024

/** Queued bytes cost memory until they are read. */
const maxMs = 15 * 60_000

/** `bytes`: a position in the stream that the client must have read `at` this time. */
type Due = { bytes: number; at: number }

/** Cuts clients that read too little of a queued response. Connections with nothing queued stay open. */
export function cutStalledReaders(server: Server, stalledMs: number): void {
  // The idle timer of Node sees progress within one long write; `writableLength` does not.
  server.timeout = stalledMs
  server.on('request', (_req, res) => {
    // Without a listener Node cuts connections whose response takes long to produce.
    res.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy()
      else socket.setTimeout(stalledMs)
    })
  })
  const open = new Map<Socket, Due | undefined>()
  server.on('connection', (socket) => {
    open.set(socket, undefined)
    socket.once('close', () => open.delete(socket))
  })
  const looking = setInterval(() => {
    for (const [socket, due] of open) {
      const next = nextDue(due, { queued: socket.writableLength, written: socket.bytesWritten }, stalledMs)
      if (next === 'late') socket.destroy()
      else open.set(socket, next)
    }
  }, stalledMs / 8)
  looking.unref()
  server.once('close', () => clearInterval(looking))
}

/** `written` includes queued bytes. The idle timer cuts clients that read nothing earlier. */
export function nextDue(
  due: Due | undefined,
  { queued, written }: { queued: number; written: number },
  stalledMs: number,
  now = performance.now(),
): Due | undefined | 'late' {
  if (queued === 0) return undefined
  if (due && written - queued < due.bytes) return now < due.at ? due : 'late'
  const allowedMs = Math.min(Math.max((queued / minBytesPerSecond) * 1_000, stalledMs), maxMs)
  return { bytes: written, at: now + allowedMs }
}

// Who asks and then does not read keeps a connection, and what was to be sent on it, for as long as they like: no limit
// of Node's is about answers.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What had been taken of a connection when its reader was last seen to take something. */
type Progress = { taken: number; at: number }

/**
 * Cuts connections whose reader took none of the pieces that wait for it in so long. Silence while an answer is being
 * made, or between the events of a stream, is none of that: then nothing waits.
 */
export function cutStalledReaders(server: Server, stalledMs: number): void {
  const open = new Map<Socket, Progress | undefined>()
  server.on('connection', (socket) => {
    open.set(socket, undefined)
    socket.once('close', () => open.delete(socket))
  })
  const looking = setInterval(() => {
    const now = performance.now()
    for (const [socket, seen] of open) {
      const taken = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0) open.set(socket, undefined)
      else if (seen?.taken !== taken) open.set(socket, { taken, at: now })
      else if (now - seen.at >= stalledMs) socket.destroy()
    }
  }, stalledMs / 8)
  looking.unref()
  server.once('close', () => clearInterval(looking))
}

// Who asks and then does not read keeps a connection, and what was to be sent on it, for as long as they like: no limit
// of Node's is about answers.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What a connection had been sent when its reader was last known to keep up, and the most that has waited since. */
type Since = { sent: number; at: number; waiting: number }

/**
 * Slower than any network that people use, and four times what Kestrel asks for (240 bytes, `KestrelServerLimits.MinResponseDataRate`): who takes
 * a piece now and then to keep a connection has to take this much.
 */
const leastBytesPerSecond = 1_024

/** However much waits costs memory until it is taken, so all of it is to be gone by then. */
const longestSeconds = 15 * 60

/**
 * Cuts connections whose reader takes too little of what waits for it, or nothing. Silence while an answer is being
 * made, or between the events of a stream, is none of that: then nothing waits.
 */
export function cutStalledReaders(server: Server, stalledMs: number): void {
  const open = new Map<Socket, Since | undefined>()
  server.on('connection', (socket) => {
    open.set(socket, undefined)
    socket.once('close', () => open.delete(socket))
  })
  const looking = setInterval(() => {
    for (const [socket, since] of open) {
      const next = keepsUp(since, { ...sendingOf(socket), at: performance.now() }, stalledMs)
      if (next === false) socket.destroy()
      else open.set(socket, next)
    }
  }, stalledMs / 8)
  looking.unref()
  server.once('close', () => clearInterval(looking))
}

/**
 * What to compare the next look with, or false for a reader that did not take enough while something waited for it.
 * Undefined where nothing waits: the time of a reader begins when something does.
 */
export function keepsUp(since: Since | undefined, seen: Since, stalledMs: number): Since | undefined | false {
  if (seen.waiting === 0) return undefined
  if (since === undefined) return seen
  const waiting = Math.max(since.waiting, seen.waiting)
  if (seen.at - since.at < stalledMs) return { ...since, waiting }
  const asked = (Math.max(leastBytesPerSecond, waiting / longestSeconds) * (seen.at - since.at)) / 1_000
  return seen.sent - since.sent >= asked ? { ...seen, waiting } : false
}

/**
 * `writableLength` counts a piece until all of it is sent. A long answer is one piece, and who reads it slowly would
 * seem to take nothing, so what the system has taken of it is asked of the handle, as Node's own idle timeout does.
 */
function sendingOf(socket: Socket): { sent: number; waiting: number } {
  const { _bytesDispatched, _handle } = socket as Socket & SendingState
  const queued = _handle?.writeQueueSize
  if (_bytesDispatched === undefined || queued === undefined)
    return { sent: socket.bytesWritten - socket.writableLength, waiting: socket.writableLength }
  return { sent: _bytesDispatched - queued, waiting: socket.bytesWritten - _bytesDispatched + queued }
}

type SendingState = { _bytesDispatched?: number; _handle?: { writeQueueSize?: number } | null }

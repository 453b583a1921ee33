import { pipeline } from 'node:stream'
import type { Request } from 'express'
import { type EnterAgain, endWhenRevoked } from '../streams/sse.ts'

type Watched = { enterAgain: EnterAgain; maxIdleMs: number }

const keepAliveMs = 30_000

/** Passes bytes on, until either side closes, access ends, or nothing was sent for `maxIdleMs`. */
export function openTunnel(
  socket: Request['socket'],
  tunnel: NodeJS.ReadWriteStream,
  head: Uint8Array,
  { enterAgain, maxIdleMs }: Watched,
): void {
  const cut = () => void socket.destroy()
  // Those of the two pipelines are more than the default of ten.
  socket.setMaxListeners(20)
  socket.setKeepAlive(true, keepAliveMs)
  socket.setTimeout(maxIdleMs, cut)
  tunnel.write(head)
  pipeline(socket, tunnel, cut)
  pipeline(tunnel, socket, () => socket.destroySoon())
  endWhenRevoked({ once: (event, act) => socket.once(event, act), end: cut }, enterAgain)
}

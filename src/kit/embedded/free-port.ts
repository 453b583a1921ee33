import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// What lies above these, systems give out by themselves, to whoever opens a connection: also in the moment between the
// look at a port here and its first use.
const lowest = 10_000
const highest = 32_767
const mostLooks = 200

/** In turn, so that no two callers in this process are given the same; elsewhere, so that two processes hardly meet. */
let next = randomInt(lowest, highest)

/** The preferred port when nobody listens there, else another. */
export async function freePort(preferred?: number, host = '127.0.0.1'): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred, host))) return preferred
  for (let look = 0; look < mostLooks; look++) {
    const port = next
    next = port === highest ? lowest : port + 1
    if (await isFree(port, host)) return port
  }
  throw new Error('no free port')
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

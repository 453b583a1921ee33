import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the ephemeral ports, which the system may hand out between this check and the first use.
const lowest = 10_000
const highest = 32_767
const maxLooks = 200

/** In turn for callers in this process, from a random start against other processes. */
let next = randomInt(lowest, highest)

export async function freePort(preferred?: number, host = '127.0.0.1'): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred, host))) return preferred
  for (let look = 0; look < maxLooks; look++) {
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

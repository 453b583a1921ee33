import { createServer } from 'node:net'

/** The preferred port when nobody listens there, else one the system gives. */
export async function freePort(preferred = 0, host = '127.0.0.1'): Promise<number> {
  return (await tryPort(preferred, host)) ?? (await tryPort(0, host)) ?? Promise.reject(new Error('no free port'))
}

function tryPort(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}

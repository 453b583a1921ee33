import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartError } from './start-error.ts'

export type HttpServer = {
  port: number
  /** Stops accepting, lets running requests finish, and cuts what is left after the deadline. */
  close(deadlineMs?: number): Promise<void>
}

export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<HttpServer> {
  const server = createServer({ maxHeaderSize: 16 * 1024 }, app)
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  // Longer than the idle time of common load balancers, so that they close first and never meet a reset.
  server.keepAliveTimeout = 65_000
  await bind(server, host, port)
  return { port: (server.address() as AddressInfo).port, close: (deadlineMs = 20_000) => drain(server, deadlineMs) }
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new StartError(bindTrouble(error, host, port))))
    server.listen(port, host, resolve)
  })
}

function bindTrouble(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `port ${port} on ${host} is taken: stop what uses it, or choose another port`
  if (error.code === 'EACCES') return `port ${port} on ${host} needs more rights: choose a port above 1023`
  return `cannot listen on ${host}:${port} (${error.code})`
}

async function drain(server: Server, deadlineMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), deadlineMs)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that was busy becomes idle after its answer, and nobody else would close it before the deadline.
  const closeIdle = setInterval(() => server.closeIdleConnections(), 50)
  await closed
  clearInterval(closeIdle)
  clearTimeout(cut)
}

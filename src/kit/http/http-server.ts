import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartError } from '../process/start-error.ts'
import { expressServerOptions } from './express-prototypes.ts'
import { cutStalledReaders } from './stalled-readers.ts'
import { answerUnreadable, type DeadlineOptions } from './unreadable.ts'

export type HttpServer = {
  port: number
  /** Stops accepting, lets running requests finish, and cuts what is left after the deadline. */
  close(deadlineMs?: number): Promise<void>
}

export type ListenOptions = DeadlineOptions & {
  host: string
  port: number
  /** How long the headers of a request may take, and how long a connection may stay without one. */
  headersMs?: number
  maxConnections?: number
  /** How long a client may take too little of an answer that waits for it, or nothing. */
  stalledMs?: number
  /** Whether requests are made as the app wants them (express-prototypes.ts), or changed by it after they were made. */
  requestClasses?: boolean
}

/** As long as anything may take to arrive, whatever its route allows. */
const longestRequestMs = 15 * 60_000

export async function listen(app: RequestListener, options: ListenOptions): Promise<HttpServer> {
  const { headersMs = 10_000, maxConnections = 16_000, stalledMs = 120_000, requestClasses = true } = options
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: headersMs,
    requestTimeout: longestRequestMs,
    // Longer than the idle time of common load balancers, so that they close first and never meet a reset.
    keepAliveTimeout: 65_000,
    // By default late requests are looked for twice a minute, so ten seconds could mean forty.
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    // A request without one is refused below, in the words of the program.
    requireHostHeader: false,
    ...(requestClasses && expressServerOptions(app)),
  })
  // Memory and descriptors are finite: one connection more is closed at once, where accepting it would cost all.
  // Ten thousand silent ones must leave room for the others until their time is over.
  server.maxConnections = maxConnections
  // Their size is limited. By default Node leaves out what comes after two thousand lines, such as the address of the
  // client that a proxy adds at the end, and nobody is told.
  server.maxHeadersCount = 0
  answerUnreadable(server, app, options)
  cutStalledReaders(server, stalledMs)
  await bind(server, options.host, options.port)
  return { port: (server.address() as AddressInfo).port, close: (deadlineMs = 20_000) => drain(server, deadlineMs) }
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new StartError(bindError(error, host, port))))
    server.listen(port, host, resolve)
  })
}

function bindError(error: NodeJS.ErrnoException, host: string, port: number): string {
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

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as afterPoll } from 'node:timers/promises'
import { StartError } from '../process/start-error.ts'
import { serveWebSockets } from '../streams/web-sockets.ts'
import { cutStalledReaders } from './stalled-readers.ts'
import { answerUnreadable, type DeadlineOptions } from './unreadable.ts'

export type HttpServer = {
  port: number
  /** Serves on with 503 at `/readyz` and `Connection: close`, so that load balancers use other processes. */
  drain(): void
  /** Stops accepting, lets running requests finish, and cuts the rest at the deadline. */
  close(deadlineMs?: number): Promise<void>
}

export type ListenOptions = DeadlineOptions & {
  host: string
  port: number
  /** Timeout for the headers of a request, and for a new connection without one. */
  headersMs?: number
  maxConnections?: number
  /** Timeout for a client that does not read a queued response. */
  stalledMs?: number
  /** Otherwise requests are served as if they asked for no upgrade. */
  servesWebSockets?: boolean
}

/** Upper limit for every route. */
const maxRequestMs = 15 * 60_000

export async function listen(app: RequestListener, options: ListenOptions): Promise<HttpServer> {
  const { headersMs = 10_000, maxConnections = 16_000, stalledMs = 120_000 } = options
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: headersMs,
    requestTimeout: maxRequestMs,
    // Longer than the idle timeout of common load balancers, so that they close first.
    keepAliveTimeout: 65_000,
    // The default of 30 s would make a timeout of 10 s take up to 40 s.
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    // Rejected by `answerUnreadable`, with a reason.
    requireHostHeader: false,
  })
  // Connections above the limit are closed at once. The limit leaves room beside ten thousand silent connections.
  server.maxConnections = maxConnections
  // By default Node drops headers after 2,000 lines, such as the X-Forwarded-For of a proxy. Their size is limited
  // above.
  server.maxHeadersCount = 0
  let draining = false
  answerUnreadable(server, (req, res) => (draining ? answerLast(app, req, res) : app(req, res)), options)
  cutStalledReaders(server, stalledMs)
  const cutTunnels = options.servesWebSockets ? serveWebSockets(server) : () => {}
  await bind(server, options.host, options.port)
  return {
    port: (server.address() as AddressInfo).port,
    drain: () => {
      draining = true
    },
    close: (deadlineMs = 20_000) => close(server, deadlineMs, cutTunnels),
  }
}

function answerLast(app: RequestListener, req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Connection', 'close')
  if (req.url !== '/readyz') return void app(req, res)
  res.writeHead(503, { 'Content-Type': 'application/json' }).end('{"status":"draining"}')
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

async function close(server: Server, deadlineMs: number, cutTunnels: () => void): Promise<void> {
  await nothingWaits(server)
  const cut = setTimeout(() => server.closeAllConnections(), deadlineMs)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A busy connection becomes idle after its response, and must be closed then. Tunnels have no end to wait for.
  const closeIdle = setInterval(() => {
    cutTunnels()
    setImmediate(() => server.closeIdleConnections())
  }, 50)
  await closed
  clearInterval(closeIdle)
  clearTimeout(cut)
}

/**
 * Closing a listener resets the connections that wait to be accepted, and a proxy does not repeat a POST. libuv accepts
 * one connection per turn of the event loop (libuv pull request 3696). Returns after a short turn that accepted none, or
 * after a thousand turns.
 */
async function nothingWaits(server: Server): Promise<void> {
  let accepted = 0
  const count = () => accepted++
  server.on('connection', count)
  for (let turn = 0, quiet = false; turn < 1_000 && !quiet; turn++) {
    const [before, since] = [accepted, performance.now()]
    await afterPoll()
    quiet = turn > 0 && accepted === before && performance.now() - since < 0.2
  }
  server.off('connection', count)
}

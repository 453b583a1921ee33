// Answers requests that never reach a route: malformed, ambiguous, too large or too slow.
import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ignoreError } from '../process/ignore-error.ts'
import { serveInTurns } from './pipelined-requests.ts'
import type { Defect } from './request-rules.ts'

/** `path` is undefined if the request line could not be read. */
export type Unreadable = {
  status: 400 | 408 | 413 | 415 | 417 | 421 | 431
  path: string | undefined
  detail?: string | undefined
}

export type Refusal = { type: string; body: string; headers?: Record<string, string> }

export type DeadlineOptions = {
  defectOf?: (req: IncomingMessage) => Defect | undefined
  refusal?: (unreadable: Unreadable) => Refusal
  /** Timeout for the whole body. */
  bodyMs?: (path: string) => number
  /** Timeout between two chunks of the body. */
  silentMs?: (path: string) => number
}

/** How long a rejected client may continue sending before the connection is cut. */
const graceMs = 2_000

export function answerUnreadable(server: Server, app: RequestListener, options: DeadlineOptions): void {
  const { refusal = plain, defectOf = () => undefined, bodyMs = () => 30_000, silentMs = bodyMs } = options
  // Routers shorten `req.url`.
  const answering = new WeakMap<Socket, Answering>()
  const refuse = (
    status: Unreadable['status'],
    socket: Socket,
    { res, path, detail }: { res?: ServerResponse; path: string | undefined; detail?: string },
  ) => {
    if (!socket.writable || res?.headersSent) return void socket.destroy()
    const { type, body, headers: own } = refusal({ status, path, detail })
    const headers = { ...own, ...headersFor(type, body) }
    if (res) return void res.writeHead(status, headers).end(body)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  }
  const limit = (req: IncomingMessage, res: ServerResponse, known: Answering) => {
    const limits = { wholeMs: bodyMs(known.path), silentMs: silentMs(known.path) }
    limitBody(req, res, limits, () => refuse(408, req.socket, known))
  }
  const serve: RequestListener = (req, res) => {
    const known = { res, path: req.url ?? '' }
    answering.set(req.socket, known)
    // Writing after the end emits an error, which without a listener ends the process.
    res.on('error', nobodyReads)
    // Later data on the connection belongs to another request.
    res.once('finish', () => void (req.complete && answering.get(req.socket) === known && answering.delete(req.socket)))
    // RFC 9112, section 3.2. Node also rejects it, but without a reason.
    if (req.headers.host === undefined && req.httpVersion === '1.1') return refuse(400, req.socket, known)
    const defect = defectOf(req)
    if (defect) return refuse(defect.status, req.socket, { ...known, detail: defect.detail })
    if (hasBody(req)) limit(req, res, known)
    app(req, res)
  }
  server.on('request', serveInTurns(serve))
  server.on('checkExpectation', (req, res) => {
    // The body is not read, so later bytes can't be trusted to be a request.
    refuse(417, req.socket, { res, path: req.url ?? '' })
  })
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    refuse(statusOf(error), socket, answering.get(socket) ?? { path: pathIn(error.rawPacket) })
  })
}

const nobodyReads = ignoreError('the answer had ended, or its caller has left')

type Answering = { res: ServerResponse; path: string }

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer }

const pathIn = (packet: Buffer | undefined): string | undefined =>
  /^[A-Z]+ (\/[^\s]*)/.exec(packet?.toString('latin1') ?? '')?.[1]

const statusOf = ({ code }: NodeJS.ErrnoException): Unreadable['status'] => {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

type Limits = { wholeMs: number; silentMs: number }

function limitBody(req: IncomingMessage, res: ServerResponse, { wholeMs, silentMs }: Limits, late: () => void): void {
  const rejectLate = () => !req.complete && late()
  let timer = setTimeout(rejectLate, wholeMs)
  // A listener on the response keeps the server from cutting the connection.
  if (silentMs < wholeMs) res.setTimeout(silentMs, rejectLate)
  req.once('end', () => clearTimeout(timer))
  res.once('finish', () => {
    clearTimeout(timer)
    if (!req.complete) timer = setTimeout(() => req.socket.destroy(), graceMs).unref()
  })
  req.once('close', () => clearTimeout(timer))
}

const headersFor = (type: string, body: string) => ({
  'Content-Type': type,
  'Content-Length': String(Buffer.byteLength(body)),
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
})

const plain = ({ status }: Unreadable): Refusal => ({ type: 'text/plain', body: `${STATUS_CODES[status]}\n` })

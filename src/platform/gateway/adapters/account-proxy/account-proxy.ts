// The other end of a command's `HTTPS_PROXY`. Everything that arrives is hostile.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import type { AccountDoor, Listening } from '../../../shared/domain/account-door.ts'
import { type Authority, newAuthority } from './certificates.ts'

type ProxiedExchange = { req: IncomingMessage; res: ServerResponse; host: string }

type Needs = {
  /** Why a host is refused, as a sentence. Undefined if it is allowed. */
  refusalOf(host: string): Promise<string | undefined>
  serve(exchange: ProxiedExchange): Promise<void>
  lifeSeconds: number
  silentForMs: number
  now: () => Date
}

type AccountProxy = Pick<AccountDoor, 'trust' | 'open' | 'close'>

const maxConnections = 64
const maxRequests = 16
const handshakeMs = 10_000
const maxHeaderSize = 16 * 1024

export async function openAccountProxy(needs: Needs): Promise<AccountProxy> {
  const authority = await newAuthority(needs.lifeSeconds, needs.now())
  const inner = requestServer(needs)
  const sockets = new Set<Socket>()
  const outer = createServer({ maxHeaderSize, headersTimeout: handshakeMs, requestTimeout: handshakeMs })
  outer.keepAliveTimeout = handshakeMs
  outer.on('error', ignoreError('a failed accept, for example with too many open files, closes its connection'))
  outer.on('connection', (socket) => {
    socket.on('error', ignoreError('a command may close its connections in any way'))
    if (sockets.size >= maxConnections) return void socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  outer.on('request', (_req, res) => answer(res, 403, 'Plain HTTP is refused: use an https address.'))
  outer.on('upgrade', (_req, socket) => void socket.destroy())
  outer.on('connect', (req, socket, head) => {
    void tunnel(needs, authority, inner, { target: req.url ?? '', socket: socket as Socket, head }).catch(() =>
      socket.destroy(),
    )
  })
  let isClosed = false
  return {
    trust: authority.certificate,
    open(listening: Listening) {
      if (isClosed) listening.close()
      else outer.listen(listening)
    },
    close() {
      isClosed = true
      outer.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

type Tunnel = { target: string; socket: Socket; head: Buffer }

type RequestServer = ReturnType<typeof requestServer>

async function tunnel(
  { refusalOf }: Needs,
  authority: Authority,
  { accept }: RequestServer,
  { target, socket, head }: Tunnel,
): Promise<void> {
  const [, hostname = '', port = ''] = /^([a-z0-9.-]{1,253}):(\d{1,5})$/i.exec(target) ?? []
  const name = hostname.toLowerCase()
  const host = port === '443' ? name : `${name}:${port}`
  const refusal = hostname === '' ? 'Name a host and a port.' : await refusalOf(host)
  // Bytes before our answer would not reach the TLS library.
  if (refusal !== undefined || head.length > 0) return refuse(socket, refusal ?? 'Wait for the answer to CONNECT.')
  const secureContext = await authority.contextFor(name)
  if (socket.destroyed || socket.readableLength > 0) return void socket.destroy()
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  const secured = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] })
  const late = setTimeout(() => secured.destroy(), handshakeMs)
  secured.on('error', ignoreError('a command may break off a handshake'))
  secured.once('close', () => clearTimeout(late))
  secured.once('secure', () => {
    clearTimeout(late)
    const { servername } = secured as TLSSocket & { servername?: string | false | null }
    if (servername && servername.toLowerCase() !== name) secured.destroy()
    else accept(secured, host)
  })
}

function refuse(socket: Socket, reason: string): void {
  const text = `${reason}\n`
  const about = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}`
  socket.end(`HTTP/1.1 403 Forbidden\r\n${about}\r\nConnection: close\r\n\r\n${text}`)
  socket.destroySoon()
}

/** Never listens: it gets connections after their TLS handshake. */
function requestServer({ serve, silentForMs }: Needs) {
  const hosts = new WeakMap<object, string>()
  let underWay = 0
  const server = createServer({ maxHeaderSize, keepAliveTimeout: 30_000 }, (req, res) => {
    const host = hosts.get(req.socket) ?? ''
    const defect = defectOf(req, host)
    if (defect) return answer(res, ...defect)
    if (underWay >= maxRequests) return answer(res, 429, `At most ${maxRequests} requests may run at once.`)
    underWay++
    res.once('close', () => underWay--)
    void serve({ req, res, host })
  })
  server.timeout = silentForMs + handshakeMs
  server.on('upgrade', ({ socket }) => {
    socket.end('HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    socket.destroySoon()
  })
  return {
    accept(secured: TLSSocket, host: string) {
      hosts.set(secured, host)
      server.emit('connection', secured)
    },
  }
}

const methods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

function defectOf(req: IncomingMessage, host: string): [status: number, text: string] | undefined {
  const named = req.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length
  const asked = req.headers.host?.toLowerCase()
  if (named !== 1 || (asked !== host && asked !== `${host}:443`)) {
    return [421, `This connection is for ${host}: send its name in the Host header.`]
  }
  if (!methods.has(req.method ?? '')) return [405, `${req.method} is not allowed.`]
  if (!req.url?.startsWith('/')) return [400, 'Send a path instead of an address.']
  return undefined
}

/** The rest of the connection is not read. */
function answer(res: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }
  res.writeHead(status, status === 429 ? { ...headers, 'retry-after': '1' } : headers).end(`${text}\n`)
}

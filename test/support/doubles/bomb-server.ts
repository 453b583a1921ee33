// Sends endless responses. The first path segment selects the kind; below it, an MCP server opens its session normally, so
// that the caller meets the bomb where it reads.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'

const gigabyte = 1024 * 1024 * 1024
const small = '{},'.repeat(20_000)

type Message = { method?: string; id?: unknown }

type Bomb = (res: ServerResponse, message: Message) => unknown

const head = ({ id, method }: Message) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? 0)},"result":{"${method === 'tools/call' ? 'content' : 'tools'}":[`

const bombs: Record<string, Bomb> = {
  flood: (res, message) => pour(res.writeHead(200, { 'content-type': 'application/json' }), head(message), small),
  /** One endless event. */
  line: (res, message) =>
    pour(res.writeHead(200, { 'content-type': 'text/event-stream' }), `data: ${head(message)}`, small),
  /** Endless events, none of which the caller waits for. */
  events: (res) =>
    pour(res.writeHead(200, { 'content-type': 'text/event-stream' }), '', 'data: {"jsonrpc":"2.0"}\n\n'.repeat(2_000)),
  /** A gigabyte in one megabyte: gzip allows several members (RFC 1952 §2.2). */
  packed: (res) => {
    const part = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' '))
    res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    for (let at = 0; at < 64; at++) res.write(part)
    res.end()
  },
  headers: (res) => pourRaw(res, 'HTTP/1.1 200 OK\r\n', `X-Pad: ${'x'.repeat(1_000)}\r\n`.repeat(60)),
  /** Endless interim responses (RFC 9110 §15.2). */
  interim: (res) => pourRaw(res, '', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(1_500)),
  drip: (res) => {
    res.writeHead(200, { 'content-type': 'application/json' })
    const dripping = setInterval(() => res.write(' '), 100)
    res.once('close', () => clearInterval(dripping))
  },
}

/** As many small values as fit into `size` bytes. */
function dense(res: ServerResponse, message: Message, size: number) {
  const things = Math.floor((size - head(message).length - 4) / 3)
  res.writeHead(200, { 'content-type': 'application/json' })
  res.end(`${head(message)}${'{},'.repeat(things - 1)}{}]}}`)
}

export async function startBombServer() {
  const server = createServer(async (req, res) => {
    const [, name = '', size] = /^\/([a-z]+)(?:-(\d+))?/.exec(req.url === '/healthz' ? '/flood' : (req.url ?? '')) ?? []
    const message = await messageIn(req)
    if (message.method === 'initialize') return initialized(res, message.id)
    if (message.method?.startsWith('notifications/')) return void res.writeHead(202).end()
    if (size !== undefined) return dense(res, message, Number(size))
    return bombs[name] ? bombs[name](res, message) : void res.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function messageIn(req: IncomingMessage): Promise<Message> {
  const chunks = await req.toArray()
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return {}
  }
}

const initialized = (res: ServerResponse, id: unknown) => {
  const result = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'bomb', version: '1' },
  }
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

async function pour(to: Writable, first: string, again: string) {
  to.on('error', () => {}) // the test cuts the connection
  to.write(first)
  const block = Buffer.from(again)
  for (let sent = 0; sent < gigabyte && !to.closed; sent += block.length) if (!to.write(block)) await room(to)
  to.end()
}

const room = (to: Writable) =>
  new Promise<void>((resolve) => {
    const done = () => {
      to.off('drain', done).off('close', done)
      resolve()
    }
    to.once('drain', done).once('close', done)
    if (to.closed) done()
  })

const pourRaw = (res: ServerResponse, first: string, again: string) => res.socket && pour(res.socket, first, again)

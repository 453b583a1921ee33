// A minimal proxy with undici that adds a fixed token.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type Dispatcher } from 'undici'

const origin = `http://127.0.0.1:${process.env.UPSTREAM_PORT}`
const agent = new Agent({ connections: 256 })
const ownHeaders = new Set(['host', 'connection', 'transfer-encoding'])

const server = createServer(async (req, res) => {
  const kept = Object.entries(req.headers).filter(([name]) => !ownHeaders.has(name))
  try {
    await agent.stream(
      {
        origin,
        path: req.url ?? '/',
        method: req.method as Dispatcher.HttpMethod,
        headers: { ...Object.fromEntries(kept), authorization: 'Bearer access-token' },
        body: req.method === 'GET' ? null : req,
      },
      ({ statusCode, headers }) => res.writeHead(statusCode, headers as Record<string, string>),
    )
  } catch {
    res.destroy()
  }
})
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))

// The upstream: a small JSON response, a response of any size, and 1 MB that is 2 MB as JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const small = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Hello' } }] })
const block = Buffer.alloc(256 * 1024)
const quotes = Buffer.alloc(1_000_000, '"')

const server = createServer(async (req, res) => {
  if (req.url?.endsWith('/token')) return res.end('{"access_token":"access-token","expires_in":3600}')
  if (req.url?.endsWith('/quotes')) return res.setHeader('content-type', 'text/plain').end(quotes)
  const bytes = Number(/bytes=(\d+)/.exec(req.url ?? '')?.[1] ?? 0)
  if (req.method === 'PUT') for await (const _ of req);
  else req.resume()
  if (bytes === 0) return res.setHeader('content-type', 'application/json').end(small)
  for (let sent = 0; sent < bytes && !res.closed; sent += block.length) {
    if (!res.write(block.subarray(0, bytes - sent))) await once(res, 'drain')
  }
  res.end()
})
server.listen(0, '127.0.0.1', () => process.send?.({ ready: true, port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))

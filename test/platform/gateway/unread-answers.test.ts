// Responses of workloads and model APIs that are not read to the end.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { brandedHeaders } from '../../../src/contract/headers.ts'
import { upstreams } from '../../../src/platform/gateway/adapters/http-runtime.ts'
import { proxyHeaders } from '../../../src/platform/gateway/http/proxy-headers.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'

let open = 0
const served = upstreams({ silentForMs: 600_000 })

const server = createServer((_req, res) => {
  open++
  res.once('close', () => open--)
  res.writeHead(401)
  const write = () => {
    while (!res.destroyed && res.write('x'.repeat(65_536)));
  }
  res.on('drain', write)
  write()
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(async () => {
  await served.close()
  server.closeAllConnections()
  server.close()
})

test.each([0, 1])('Z56: an endless response is closed when it is rejected, after %i chunks', async (pieces) => {
  const serve = served.at(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const signal = new AbortController().signal
  const answer = await serve({ method: 'POST', path: '/', headers: {}, body: null, signal })

  const reading = answer.body[Symbol.asyncIterator]()
  for (let read = 0; read < pieces; read++) await reading.next()
  await reading.return?.()

  await waitFor('the connection is closed', () => open === 0)
})

test('Z56: hop-by-hop headers that a workload names in two lines are removed', () => {
  const { answered } = proxyHeaders(brandedHeaders('Service'))
  const headers = { connection: ['keep-alive', 'X-One, x-two'], 'x-one': '1', 'x-two': '2', 'x-three': '3' }

  const passed = answered(headers, {})

  expect(Object.keys(passed).filter((name) => /^(x-|connection)/.test(name))).toEqual(['x-three'])
})

// Answers of workloads and of models' APIs that nobody reads to their end.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { brandedHeaders } from '../../../src/contract/headers.ts'
import { upstreams } from '../../../src/platform/gateway/adapters/http-runtime.ts'
import { proxyHeaders } from '../../../src/platform/gateway/http/proxy-headers.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'

let server: Server
let open = 0
const served = upstreams({ silentForMs: 60_000 })

beforeAll(async () => {
  server = createServer((_req, res) => {
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
})
afterAll(async () => {
  await served.close()
  server.closeAllConnections()
  server.close()
})

test.each([0, 1])(
  'Z56: one without an end is not kept open once it is refused, after %i pieces of it',
  async (pieces) => {
    const serve = served.at(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const signal = new AbortController().signal
    const answer = await serve({ method: 'POST', path: '/', headers: {}, body: null, signal })

    const reading = answer.body[Symbol.asyncIterator]()
    for (let read = 0; read < pieces; read++) await reading.next()
    await reading.return?.()

    await waitFor('the connection is closed', () => open === 0, { withinMs: 10_000 })
  },
)

test('Z56: a workload that names headers of its connection in two lines is passed on without them', () => {
  const { answered } = proxyHeaders(brandedHeaders('Service'))
  const headers = { connection: ['keep-alive', 'X-One, x-two'], 'x-one': '1', 'x-two': '2', 'x-three': '3' }

  const passed = answered(headers, {})

  expect(Object.keys(passed).filter((name) => /^(x-|connection)/.test(name))).toEqual(['x-three'])
})

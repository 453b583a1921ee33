import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

let world: PlatformWorld
let address: string
const logged: Array<Record<string, unknown>> = []
const connections = new Agent({ keepAlive: true, maxSockets: 1 })

beforeAll(async () => {
  const log = (_event: string, fields: Record<string, unknown>) => void logged.push(fields)
  world = await platformWorld({ adapters: { log: log as never } })
  address = await world.listen()
  await world
    .as(world.admin)
    .post('/v0/functions')
    .send({ metadata: { name: 'empty' }, spec: { type: 'mcp', integrationConnections: [] } })
    .expect(200)
})

afterAll(async () => {
  connections.destroy()
  await world.close()
})

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
const empty = '/acme/functions/empty/mcp'
const nobody = '/acme/functions/nobody/mcp'
const accept = 'application/json, text/event-stream'
const json = { accept, 'content-type': 'application/json' }

type SentRequest = { method?: string; path?: string; headers?: Record<string, string>; body?: string; isBare?: boolean }

/** Chunked. `early`: the end of the body is sent after the response arrives. */
function ask({ method = 'POST', path = empty, headers = {}, body = ping, isBare = false }: SentRequest, early = false) {
  const authorization = `Bearer ${world.admin.key}`
  const all = { ...json, ...(!isBare && { authorization }), ...headers }
  return new Promise<{ answer: unknown; isSameConnection: boolean }>((resolve, reject) => {
    const sent = request(address + path, { method, headers: all, agent: connections }, async (res) => {
      if (early) sent.end()
      const { date: _, 'x-request-id': __, ...marks } = res.headers
      const said = (await text(res)).replace(/"timestamp":"[^"]*"/, '')
      resolve({ answer: { status: res.statusCode, marks, said }, isSameConnection: sent.reusedSocket })
    }).on('error', reject)
    if (method === 'POST') sent.write(body)
    if (!early) sent.end()
  })
}

const from = (origin: string) => ({ origin, 'access-control-request-method': 'POST' })
const large = 'x'.repeat(2 * 1024 * 1024)

const requests: Array<[string, number, SentRequest]> = [
  ['in order', 200, {}],
  ['by GET', 405, { method: 'GET' }],
  ['by HEAD', 405, { method: 'HEAD' }],
  ['by DELETE', 405, { method: 'DELETE' }],
  ['by PUT', 405, { method: 'PUT' }],
  ['by OPTIONS', 405, { method: 'OPTIONS' }],
  ['of a browser that asks first', 204, { method: 'OPTIONS', headers: from('http://127.0.0.1:9') }],
  ['of a page of another origin', 403, { method: 'OPTIONS', headers: from('https://else.example') }],
  ['without a credential', 401, { isBare: true }],
  ['with a wrong credential', 401, { headers: { authorization: 'Bearer wrong' } }],
  ['that names two workspaces', 400, { headers: { 'x-service-workspace': 'other' } }],
  ['for another workspace', 404, { path: '/other/functions/empty/mcp' }],
  ['for names of the language', 404, { path: '/__proto__/functions/constructor/mcp' }],
  ['in capital letters', 404, { path: '/ACME/functions/empty/mcp' }],
  ['with a broken body', 400, { body: '{' }],
  ['with too large a body', 413, { body: large }],
  ['in an encoding that it is not in', 400, { headers: { 'content-encoding': 'gzip' } }],
  ['that is no JSON', 415, { headers: { 'content-type': 'text/plain' } }],
  ['that waits to be asked for its body', 200, { headers: { expect: '100-continue' } }],
  ['with a broken body for an unknown function', 404, { path: nobody, body: '{' }],
  ['with too large a body for an unknown function', 404, { path: nobody, body: large }],
]

test.each(requests)('a request %s returns %i and is logged', async (_how, status, sent) => {
  logged.length = 0

  const { answer } = await ask(sent)

  expect(answer).toMatchObject({ status })
  await expect.poll(() => logged).toMatchObject([{ route: '/:workspace/functions/:name/mcp', status }])
})

test('reuses a connection after a response that came before the end of the body', async () => {
  await ask({})

  expect(await ask({ path: nobody, body: '{' }, true)).toMatchObject({ answer: { status: 404 } })
  expect(await ask({})).toMatchObject({ answer: { status: 200 }, isSameConnection: true })
})

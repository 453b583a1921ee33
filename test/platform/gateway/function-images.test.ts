// The image of a function is an MCP server: messages are passed on to it.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { createResource, platformWorld, replaceResource } from '../../support/worlds/platform-world.ts'

type Seen = { method: string; url: string; headers: Record<string, unknown>; body: string }
const seen: Seen[] = []

/** Opens a session for each initialization. */
const server = createServer(async (req, res) => {
  let body = ''
  for await (const part of req) body += part
  const { method = '', url = '', headers } = req
  seen.push({ method, url, headers, body })
  if (body.includes('initialize')) res.setHeader('Mcp-Session-Id', `session-${seen.length}`)
  res.setHeader('Content-Type', 'application/json')
  res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { at: url } }))
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const file = join(temporaryFolder(), 'runtimes.json')
const runtimes = ['one', 'two'].map((name) => ({ image: `acme/${name}`, url: `${origin}/${name}` }))
writeFileSync(file, JSON.stringify({ runtimes: [...runtimes, { image: 'acme/task', command: ['true'] }] }))
const world = await platformWorld({ env: { RUNTIMES_FILE: file } })
const api = world.as(world.admin)
afterAll(async () => {
  await world.close()
  server.close()
})

const settled = (name: string) =>
  waitFor(`${name} is settled`, async () => {
    const { body } = await api.get(`/v0/functions/${name}`)
    return body.status !== 'DEPLOYING' && body
  })

async function deployed(name: string, spec: object) {
  await createResource(api, 'functions', name, spec)
  return settled(name)
}

const accept = { accept: 'application/json, text/event-stream' }
const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const post = (name: string, body: object | string, headers: Record<string, string> = {}) =>
  api
    .post(`/acme/functions/${name}/mcp`)
    .set({ ...accept, 'content-type': 'application/json', ...headers })
    .send(typeof body === 'string' ? body : JSON.stringify(body))

test('messages are passed on to the image as they were sent, without the credential of the platform', async () => {
  const { status } = await deployed('own', { runtime: { image: 'acme/one' } })
  const body =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":12345678901234567890}}}'

  const answer = await post('own', body, { cookie: 'a=b' }).expect(200)

  const last = seen.at(-1)
  expect([status, answer.body.result]).toEqual(['DEPLOYED', { at: '/one/mcp' }])
  expect([last?.method, last?.body]).toEqual(['POST', body])
  expect(JSON.stringify(last?.headers)).not.toContain(world.admin.key)
  expect(last?.headers).not.toHaveProperty('cookie')
})

test('a session stays with its revision, and ends when the revision gets no requests', async () => {
  await deployed('sessions', { runtime: { image: 'acme/one' } })
  const [first] = (await api.get('/v0/functions/sessions/revisions')).body
  const opened = await post('sessions', message('initialize')).expect(200)
  const session = opened.headers['mcp-session-id'] as string
  const revision = { active: first.id, traffic: 50 }
  await replaceResource(api, 'functions', 'sessions', { runtime: { image: 'acme/two' }, revision })
  await settled('sessions')

  const from = seen.length
  for (let at = 0; at < 20; at++)
    await post('sessions', message('tools/list'), { 'Mcp-Session-Id': session }).expect(200)
  const answered = seen.slice(from)
  await replaceResource(api, 'functions', 'sessions', { runtime: { image: 'acme/two' } })
  await settled('sessions')
  const ended = await post('sessions', message('tools/list'), { 'Mcp-Session-Id': session })

  expect(session).toMatch(new RegExp(`^${first.id}\\.session-\\d+$`))
  expect(new Set(answered.map(({ url }) => url))).toEqual(new Set(['/one/mcp']))
  expect(answered[0]?.headers['mcp-session-id']).toMatch(/^session-\d+$/)
  expect(ended.status).toBe(404)
})

test('a session of another function is not found', async () => {
  await deployed('mine', { runtime: { image: 'acme/one' } })
  await deployed('theirs', { runtime: { image: 'acme/one' } })
  const opened = await post('theirs', message('initialize')).expect(200)
  const session = opened.headers['mcp-session-id'] as string

  for (const wrong of [session, 'session-1', 'x'.repeat(200)])
    expect((await post('mine', message('tools/list'), { 'Mcp-Session-Id': wrong })).status).toBe(404)
})

test('a session is ended by the image, and streams without a message are declined', async () => {
  await deployed('ends', { runtime: { image: 'acme/one' } })
  const session = (await post('ends', message('initialize'))).headers['mcp-session-id'] as string

  const streamed = await api.get('/acme/functions/ends/mcp').set(accept)
  await api.delete('/acme/functions/ends/mcp').set({ 'Mcp-Session-Id': session }).expect(200)

  expect(streamed.status).toBe(405)
  expect(seen.at(-1)).toMatchObject({ method: 'DELETE', body: '' })
})

test('calls are billed by their time', async () => {
  const { metadata } = await deployed('billed', { runtime: { image: 'acme/one', memory: 1_024 } })
  await post('billed', message('tools/list')).expect(200)

  const usage = await waitFor('the usage is stored', async () => {
    const { rows } = await world.pool.query(
      `select resource_type, dimension from usage_events where resource_name = $1`,
      [metadata.name],
    )
    return rows[0]
  })

  expect(usage).toEqual({ resource_type: 'mcp_server', dimension: 'mcp_server_compute_runtime_gbs' })
})

test('an image without an address is FAILED, and the tools of connections do not need one', async () => {
  const command = await deployed('command', { runtime: { image: 'acme/task' } })
  const echo = await deployed('echo', { runtime: { image: 'local/echo' } })
  const none = await deployed('none', {})

  expect([command.status, command.events.at(-1).message]).toEqual(['FAILED', expect.stringContaining('no address')])
  expect([echo.status, none.status]).toEqual(['DEPLOYED', 'DEPLOYED'])
})

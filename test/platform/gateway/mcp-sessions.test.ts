import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type FunctionWorld, functionWorld } from '../../support/worlds/function-world.ts'
import { createResource } from '../../support/worlds/platform-world.ts'

let world: FunctionWorld
const clients: Client[] = []

beforeEach(async () => {
  world = await functionWorld()
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await world.close()
})

const call = (id: number, args = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_files', arguments: args },
})

async function openSession(url: string, protocolVersion = '2025-11-25') {
  const answer = await world.post(url, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
  })
  const session = answer.headers.get('mcp-session-id') ?? ''
  const { result } = (await answer.json()) as { result: { protocolVersion: string } }
  return { session, headers: { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': protocolVersion }, result }
}

const metered = async () => (await world.platform.pool.query('select * from usage_events')).rows

async function readUntil(answer: Response, matches: (text: string) => boolean): Promise<string> {
  let text = ''
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    if (matches(text)) break
  }
  return text
}

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'a client of protocol %s gets a session in its own version and calls a tool',
  async (version) => {
    const url = await world.listen()
    const { headers, result } = await openSession(url, version)

    const answer = await world.post(url, call(1), headers)
    const events = await answer.text()

    expect(result.protocolVersion).toBe(version)
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(events).toContain('"id":1')
  },
)

test.each(['2025-03-26', '2025-06-18'])(
  'before 2025-11-25 no event precedes the response, which has an ID as well (%s)',
  async (version) => {
    const url = await world.listen()
    const { headers } = await openSession(url, version)

    const events = await (await world.post(url, call(1), headers)).text()
    const [, id = ''] = /^id: (\S+)$/m.exec(events) ?? []
    const after = await world.send(url, 'GET', { ...headers, Accept: 'text/event-stream', 'Last-Event-ID': id })

    expect(events.match(/^data: /gm)).toHaveLength(1)
    expect(events).toContain('"id":1')
    expect([after.status, await after.text()]).toEqual([200, expect.not.stringContaining('data:')])
  },
)

test('an unknown version is answered with the newest one, and rejected in the header', async () => {
  const url = await world.listen()
  const { headers, result } = await openSession(url, '1999-01-01')

  const refused = await world.post(url, call(1), headers)

  expect(result.protocolVersion).toBe('2025-11-25')
  expect(refused.status).toBe(400)
})

test('a session opened in one process is served by another, and ended for both', async () => {
  const other = await world.twin()
  const here = await world.listen()
  const there = await other.listen()
  const { headers } = await openSession(here)

  const served = await world.post(there, call(1), headers)
  const text = await served.text()
  const ended = await world.send(there, 'DELETE', headers)
  const after = await world.post(here, call(2), headers)
  await other.close()

  expect(text).toContain('/api/files')
  expect([ended.status, after.status]).toEqual([200, 404])
})

test('a session cannot be used by another caller or for another function', async () => {
  const url = await world.listen()
  const { headers } = await openSession(url)
  const colleague = await world.platform.join('acme', 'user@acme.example', 'member')
  const spec = { type: 'mcp', integrationConnections: ['files'], runtime: { type: 'mcp' } }
  await createResource(world.api, 'functions', 'second', spec)

  const stolen = await world.post(url, call(1), { ...headers, 'X-Service-Authorization': `Bearer ${colleague.key}` })
  const elsewhere = await world.post(url.replace('/files/', '/second/'), call(1), headers)

  expect([stolen.status, elsewhere.status]).toEqual([404, 404])
})

test('a client that lost its connection during a call reads the result in another process, and the call ran and is billed once', async () => {
  const other = await world.twin()
  const url = await world.listen()
  const { headers } = await openSession(url)
  world.filebox.state.hold = true
  const cut = new AbortController()
  const first = await world.post(url, call(7), headers, cut.signal)
  const primed = await readUntil(first, (text) => text.includes('id: '))
  await waitFor('the call is at the third party', () => world.filebox.state.apiRequests.length === 1)
  cut.abort()

  const there = await other.listen()
  const listening = { ...headers, Accept: 'text/event-stream' }
  const answer = await world.send(there, 'GET', {
    ...listening,
    'Last-Event-ID': /id: (\S+)/.exec(primed)?.[1] ?? '',
  })
  world.filebox.release()
  const events = await answer.text()
  const idle = await world.send(there, 'GET', listening)
  await Promise.all([idle.text().catch(() => {}), other.close()])
  await waitFor('the opening and the call are metered', async () => (await metered()).length >= 2)

  expect(events).toContain('"id":7')
  expect(world.filebox.state.apiRequests).toHaveLength(1)
  // The other process wrote its usage before it closed.
  expect(await metered()).toHaveLength(2)
})

test('a cancelled call stops at the third party, and its stream ends without a result', async () => {
  const url = await world.listen()
  const { headers } = await openSession(url)
  world.filebox.state.hold = true
  const running = await world.post(url, call(3), headers)
  await waitFor('the call is at the third party', () => world.filebox.state.apiRequests.length === 1)

  await world.post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } }, headers)
  const events = await running.text()

  expect(events).not.toContain('"id":3')
  await waitFor('the third party saw the end', () => world.filebox.state.cutOff === 1)
})

test('without a session, a disconnecting client stops the call at the third party', async () => {
  const url = await world.listen()
  world.filebox.state.hold = true
  const cut = new AbortController()
  const running = world.post(url, call(3), {}, cut.signal).catch(() => {})
  await waitFor('the call is at the third party', () => world.filebox.state.apiRequests.length === 1)

  cut.abort()
  await running

  await waitFor('the third party saw the end', () => world.filebox.state.cutOff === 1)
})

test('concurrent clients keep their own sessions and results', async () => {
  const url = new URL(await world.listen())
  const connect = async () => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: world.credential } }))
    clients.push(client)
    return client
  }
  const several = await Promise.all(Array.from({ length: 8 }, connect))

  const answers = await Promise.all(
    several.map((client, at) => client.callTool({ name: 'list_files', arguments: { query: `q${at}` } })),
  )

  const urls = answers.map((answer) => JSON.parse((answer.content as unknown as [{ text: string }])[0].text).url)
  expect(urls).toEqual(several.map((_, at) => `/api/files?q=q${at}`))
})

test('rejects a request from another site, and offers no stream without a session', async () => {
  const url = await world.listen()

  const foreign = await world.post(url, call(1), { Origin: 'http://evil.example' })
  const listening = await world.send(url, 'GET', { Accept: 'text/event-stream' })

  expect(foreign.status).toBe(403)
  expect([listening.status, listening.headers.get('allow')]).toEqual([405, 'POST'])
})

test('meters an MCP request once, in gigabyte-seconds of the function', async () => {
  const url = await world.listen()
  await world.post(url, call(1)).then((answer) => answer.text())

  const [row] = await waitFor('the request is metered', async () => {
    const rows = await metered()
    return rows.length > 0 && rows
  })

  expect(row).toMatchObject({
    workspace: 'acme',
    resource_type: 'mcp_server',
    resource_name: 'files',
    dimension: 'mcp_server_compute_runtime_gbs',
  })
  expect(Number(row.quantity)).toBeCloseTo((row.ended_at - row.started_at) * 0.002, 5)
})

test('S10: limits the open streams of a session, and a closed one makes room', async () => {
  const url = await world.listen()
  const { headers } = await openSession(url)
  const listen = (signal: AbortSignal) =>
    fetch(url, { headers: { ...world.credential, ...headers, Accept: 'text/event-stream' }, signal })
  const hangUp = Array.from({ length: 8 }, () => new AbortController())
  const opened = await Promise.all(hangUp.map(({ signal }) => listen(signal)))

  const refused = await listen(AbortSignal.timeout(10_000))
  hangUp[0]?.abort()
  const again = await waitFor('there is room again', async () => {
    const ending = new AbortController()
    const answer = await listen(ending.signal)
    ending.abort()
    return answer.status === 200 && answer
  })
  for (const each of hangUp) each.abort()

  expect(opened.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining('at most 8 per session and 200 per credential') },
  })
  expect(again.status).toBe(200)
})

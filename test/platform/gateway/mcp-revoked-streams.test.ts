import { afterEach, beforeEach, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type FunctionWorld, functionWorld } from '../../support/worlds/function-world.ts'

let world: FunctionWorld
let other: Awaited<ReturnType<FunctionWorld['twin']>>
let hangUp: AbortController

beforeEach(async () => {
  hangUp = new AbortController()
  world = await functionWorld()
  other = await world.twin()
})
afterEach(async () => {
  hangUp.abort()
  await other.close()
  await world.close()
})

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
}

/** The stream that an MCP client keeps open for its session. */
async function listening(url: string, key: string) {
  const credential = { 'X-Service-Authorization': `Bearer ${key}` }
  const opened = await world.post(url, initialize, credential)
  const session = opened.headers.get('mcp-session-id') ?? ''
  const headers = { ...credential, 'Mcp-Session-Id': session, Accept: 'text/event-stream' }
  const answer = await fetch(url, { headers, signal: hangUp.signal })
  const stream = { status: answer.status, headers, hasEnded: false }
  const reader = answer.body?.getReader()
  const drain = async () => {
    while (!(await reader?.read())?.done);
    stream.hasEnded = true
  }
  drain().catch(() => undefined)
  return stream
}

test.each<[string, (url: string, headers: Record<string, string>) => Promise<unknown>]>([
  [
    'its key is revoked',
    () =>
      world.platform.pool.query(`delete from api_keys k using users u
    where u.id = k.user_id and u.email = 'user@acme.example'`),
  ],
  [
    'its owner leaves the workspace',
    () =>
      world.platform.pool.query(`delete from workspace_members m using users u
    where u.id = m.user_id and u.email = 'user@acme.example' and m.workspace = 'acme'`),
  ],
  ['its session ends', (url, headers) => world.send(url, 'DELETE', headers)],
])('X10: a stream in another process ends when %s, and others continue', async (_what, revoke) => {
  const [here, there] = [await world.listen(), await other.listen()]
  const colleague = await world.platform.join('acme', 'user@acme.example', 'member')
  const stream = await listening(there, colleague.key)
  const beside = await listening(there, world.platform.admin.key)
  expect([stream.status, beside.status]).toEqual([200, 200])

  await revoke(here, stream.headers)

  await waitFor('the stream has ended', () => stream.hasEnded)
  expect(beside.hasEnded).toBe(false)
})

test('X10: streams of a function end when it is deleted, even if a new one takes its name', async () => {
  const url = await other.listen()
  const stream = await listening(url, world.platform.admin.key)

  await world.api.delete('/v0/functions/files').expect(200)
  const spec = { type: 'mcp', integrationConnections: ['files'], runtime: { type: 'mcp' } }
  await waitFor('the name is free', async () => {
    const made = await world.api.post('/v0/functions').send({ metadata: { name: 'files' }, spec })
    return made.status === 200
  })

  await waitFor('the stream has ended', () => stream.hasEnded)
})

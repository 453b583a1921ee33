import express from 'express'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { createLog } from '../../../src/kit/process/log.ts'
import { nothingDeclared } from '../../../src/platform/gateway/domain/clients/declared.ts'
import { answerPost } from '../../../src/platform/gateway/http/mcp-answer.ts'
import { platformEvents } from '../../../src/platform/shared/domain/log-events.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { fileboxConnection, functionWorld } from '../../support/worlds/function-world.ts'

const world = await functionWorld()
const url = await world.listen()
afterAll(() => world.close())

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_files', arguments: {} } }

async function openSession(): Promise<Record<string, string>> {
  const clientInfo = { name: 'test', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const answer = await world.post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
  return { 'Mcp-Session-Id': answer.headers.get('mcp-session-id') ?? '', 'MCP-Protocol-Version': '2025-11-25' }
}

const lastIdIn = (events: string) => [...events.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? ''

const resume = (session: Record<string, string>, lastEvent: string) =>
  world.send(url, 'GET', { ...session, Accept: 'text/event-stream', 'Last-Event-ID': lastEvent })

test('a stream that is resumed after its last event ends immediately', async () => {
  const session = await openSession()
  const events = await (await world.post(url, call, session)).text()

  const resumed = await waitFor('the events are kept', async () => {
    const answer = await resume(session, lastIdIn(events))
    return answer.status === 200 && answer
  })

  expect(await resumed.text()).toBe('')
})

test('an event of another session cannot be resumed', async () => {
  const session = await openSession()
  const events = await (await world.post(url, call, session)).text()
  const other = await openSession()

  const answer = await resume(other, lastIdIn(events).replace(/\.\d+$/, '.0'))

  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32_000 } }])
})

test('internal errors are not shown to the client', async () => {
  // New secrets force a token request.
  await world.api.put('/v0/integrations/connections/files').send(fileboxConnection('refresh-1')).expect(200)
  await world.platform.pool.query('alter table access_tokens rename to elsewhere')
  const answer = await (await world.post(url, call)).json()
  await world.platform.pool.query('alter table elsewhere rename to access_tokens')

  expect(answer).toMatchObject({ id: 1, error: { code: -32_603, message: 'Internal error.' } })
  expect(JSON.stringify(answer)).not.toContain('access_tokens')
})

test('a call that the transport rejects leaves nothing behind', async () => {
  const underWay = new Map()
  const mcpEvents = { keptMs: 1, add: async () => {}, after: async () => undefined }
  const mcp = {
    id: '',
    memoryMb: 1,
    name: 'files',
    title: 'Files',
    listTools: async () => [],
    isReading: () => true,
    call: async () => undefined,
  }
  const needs = {
    ...{
      mcpEvents,
      keep: () => () => undefined,
      underWay,
      maxMs: 60_000,
    },
    log: createLog('test', 'silent', platformEvents),
  }
  const app = express()
    .use(express.json())
    .post('/', (req, res) => answerPost(needs, mcp, { declares: nothingDeclared, session: 'session' }, req, res))

  const refused = await request(app).post('/').set('Accept', 'application/json').send(call)

  expect(refused.status).toBe(406)
  await waitFor('the call is forgotten', () => underWay.size === 0)
})

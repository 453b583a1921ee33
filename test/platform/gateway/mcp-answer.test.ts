import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { createLog } from '../../../src/kit/process/log.ts'
import { answered, failed, McpFailure, type OpenMcp } from '../../../src/platform/gateway/domain/mcp.ts'
import { answerPost } from '../../../src/platform/gateway/http/mcp-answer.ts'
import { platformEvents } from '../../../src/platform/shared/domain/log-events.ts'

const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json; charset=utf-8' }
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hello', arguments: {} } }
const text = [{ type: 'text', text: 'Hello' }]
const image = { kind: 'image' as const, mimeType: 'image/png', uri: 'x:y', bytes: Buffer.from('x') }

test.each<[string, OpenMcp['call'], object]>([
  ['a text', async () => answered('Hello'), { result: { content: text, isError: false } }],
  [
    'bytes in base64',
    async () => ({ content: image, isError: false }),
    { result: { content: [{ type: 'image', data: 'eA==', mimeType: 'image/png' }], isError: false } },
  ],
  [
    'a failure with its code',
    async () => failed('No.', 'grant_revoked'),
    { result: { content: [{ type: 'text', text: 'No.' }], isError: true, _meta: { code: 'grant_revoked' } } },
  ],
  [
    "the vendor's result",
    async () => ({ forwarded: { content: text, structuredContent: { a: 1 } }, isError: false }),
    { result: { content: text, structuredContent: { a: 1 } } },
  ],
  [
    "the vendor's result without a code that only the platform may set",
    async () => ({ forwarded: { content: text, _meta: { code: 'x', a: 1 } }, isError: false }),
    { result: { content: text, _meta: { a: 1 } } },
  ],
  [
    'an error for an unknown tool',
    async () => undefined,
    { error: { code: -32_602, message: 'Unknown tool: hello.' } },
  ],
  [
    'an error of the protocol with its code',
    async () => Promise.reject(new McpFailure('No.', { code: 'rate_limited' }, -32_000)),
    { error: { code: -32_000, message: 'No.', data: { code: 'rate_limited' } } },
  ],
  [
    'an internal error without its cause',
    async () => Promise.reject(new Error('of the store')),
    { error: { code: -32_603, message: 'Internal error.' } },
  ],
])('a call outside a session returns %s', async (_what, answer, expected) => {
  const { status, headers, body } = await request(serving(answer)).post('/').set(usual).send(call)

  expect([status, headers['content-type']]).toEqual([200, 'application/json'])
  expect(body).toEqual({ jsonrpc: '2.0', id: 1, ...expected })
})

test('rejects structured content that is not an object in the older protocol', async () => {
  const answer = async () => ({ forwarded: { content: text, structuredContent: [1] }, isError: false })

  const { body } = await request(serving(answer)).post('/').set(usual).send(call)

  expect(body.error.code).toBe(-32_602)
})

test('a call is aborted when its client leaves', async () => {
  const { promise: told, resolve: tell } = withResolver<void>()
  const { promise: asked, resolve: ask } = withResolver<void>()
  const leaving = new AbortController()
  const app = serving(async (_tool, _args, { signal }) => {
    signal.addEventListener('abort', () => tell())
    ask()
    await told
    return undefined
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }

  const waiting = fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: usual,
    body: JSON.stringify(call),
    signal: leaving.signal,
  }).catch(() => 'left')
  await asked
  leaving.abort()

  expect(await waiting).toBe('left')
  await told
  server.close()
})

const needs = {
  mcpEvents: { keptMs: 1, add: async () => {}, after: async () => undefined },
  keep: () => () => undefined,
  underWay: new Map(),
  maxMs: 60_000,
  log: createLog('test', 'silent', platformEvents),
}

function serving(answer: OpenMcp['call']) {
  const mcp: OpenMcp = {
    id: 'f1',
    memoryMb: 1,
    name: 'files',
    title: 'Files',
    listTools: async () => [],
    isReading: () => true,
    call: answer,
  }
  return express()
    .use(express.json())
    .post('/', (req, res) => answerPost(needs, mcp, undefined, req, res))
}

function withResolver<T>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((resolveWith) => {
    resolve = resolveWith
  })
  return { promise, resolve }
}

// Which calls are answered without the library's transport: those that it would have nothing to say about.
import express, { type Request } from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { createLog } from '../../../src/kit/process/log.ts'
import { answered, failed, McpFailure, type OpenMcp } from '../../../src/platform/gateway/domain/mcp.ts'
import { answerPost } from '../../../src/platform/gateway/http/mcp-answer.ts'
import { plainCall, plainCalls } from '../../../src/platform/gateway/http/mcp-plain-call.ts'
import { platformEvents } from '../../../src/platform/shared/domain/log-events.ts'

const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json; charset=utf-8' }
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hello', arguments: {} } }

const plain = (headers: Record<string, string>, body: unknown) => plainCall({ headers, body } as unknown as Request)

test.each<[string, Record<string, string>, unknown]>([
  ['as it is', usual, call],
  ['with an id of letters', usual, { ...call, id: 'a' }],
  ['without arguments', usual, { ...call, params: { name: 'hello' } }],
  ['of a version that is known', { ...usual, 'mcp-protocol-version': '2025-11-25' }, call],
])('a call %s is one', (_what, headers, body) => {
  expect(plain(headers, body)).toBe(body)
})

test.each<[string, Record<string, string>, unknown]>([
  ['takes no events', { ...usual, accept: 'application/json' }, call],
  ['is said to be text', { ...usual, 'content-type': 'text/plain' }, call],
  ['is of a version that nobody knows', { ...usual, 'mcp-protocol-version': '1999-01-01' }, call],
  ['is of the newer protocol', { ...usual, 'mcp-protocol-version': '2026-07-28' }, call],
  ['is one of several', usual, [call]],
  ['wants no answer', usual, { jsonrpc: '2.0', method: 'tools/call', params: call.params }],
  ['has an id that is none', usual, { ...call, id: 1.5 }],
  ['is of another protocol', usual, { ...call, jsonrpc: '1.0' }],
  ['is for something else', usual, { ...call, method: 'tools/list' }],
  ['has no parameters', usual, { ...call, params: undefined }],
  ['names no tool', usual, { ...call, params: { arguments: {} } }],
  ['has arguments without names', usual, { ...call, params: { name: 'hello', arguments: [1] } }],
  ['says something beside them', usual, { ...call, params: { ...call.params, _meta: { progressToken: 1 } } }],
  ['has more than belongs there', usual, { ...call, result: {} }],
  ['is nothing at all', usual, undefined],
])('what %s is left to the library', (_what, headers, body) => {
  expect(plain(headers, body)).toBeUndefined()
})

const text = [{ type: 'text', text: 'Hello' }]

test.each<[string, () => ReturnType<OpenMcp['call']>]>([
  ['a text', async () => answered('Hello')],
  [
    'bytes',
    async () => ({
      content: { kind: 'image', mimeType: 'image/png', uri: 'x:y', bytes: Buffer.from('x') },
      isError: false,
    }),
  ],
  ['a failure with its code', async () => failed('No.', 'grant_revoked')],
  [
    'a result that is passed on',
    async () => ({ forwarded: { content: text, structuredContent: { a: 1 } }, isError: false }),
  ],
  [
    'a code that is not ours',
    async () => ({ forwarded: { content: text, _meta: { code: 'x', a: 1 } }, isError: false }),
  ],
  ['no tool of this name', async () => undefined],
  ['a failure of the protocol', async () => Promise.reject(new McpFailure('No.', { code: 'rate_limited' }, -32_000))],
  ['a fault of our own', async () => Promise.reject(new Error('of the store'))],
])('is answered as by the library: %s', async (_what, answer) => {
  const answers = await Promise.all([direct(answer), library(answer)])

  expect(answers[0].status).toBe(200)
  expect(answers[0].headers['content-type']).toBe(answers[1].headers['content-type'])
  expect(answers[0].body).toEqual(answers[1].body)
})

test('what is structured and no object is no answer in the older protocol, as by the library', async () => {
  const answer = async () => ({ forwarded: { content: text, structuredContent: [1] }, isError: false })

  const answers = await Promise.all([direct(answer), library(answer)])

  expect(answers.map(({ body }) => body.error.code)).toEqual([-32_602, -32_602])
})

test('a call whose client leaves is told so', async () => {
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

  const waiting = fetch(`http://127.0.0.1:${port}/direct`, {
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
  longestMs: 60_000,
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
    .post('/direct', (req, res) => plainCalls(needs)(mcp, req.body, res))
    .post('/library', (req, res) => answerPost(needs, mcp, undefined, req, res))
}

const direct = (answer: OpenMcp['call']) => request(serving(answer)).post('/direct').set(usual).send(call)
const library = (answer: OpenMcp['call']) => request(serving(answer)).post('/library').set(usual).send(call)

function withResolver<T>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((resolveWith) => {
    resolve = resolveWith
  })
  return { promise, resolve }
}

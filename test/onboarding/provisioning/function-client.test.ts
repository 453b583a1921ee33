import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import express from 'express'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { brandedHeaders } from '../../../src/contract/headers.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { type HttpServer, listen } from '../../../src/kit/http/http-server.ts'
import { askFunction } from '../../../src/onboarding/provisioning/adapters/platform/function-client.ts'
import { toolsAtOnce } from '../../../src/onboarding/provisioning/adapters/platform/function-fetch.ts'
import { tryTool } from '../../../src/onboarding/provisioning/adapters/platform/mcp.ts'
import { sendWebResponse, webRequest } from '../../../src/platform/gateway/http/web-exchange.ts'

type Answer = { status: number; body?: object }

let server: HttpServer
let asked: string[]
/** Undefined: the SDK answers, in every revision that it knows. */
let answers: ((method: string, params?: { protocolVersion: string }) => Answer) | undefined

beforeEach(async () => {
  asked = []
  answers = undefined
  const { fetch } = createMcpHandler(() => {
    const mcp = new McpServer({ name: 'function', version: '1.0.0' })
    mcp.registerTool('list_files', {}, () => ({ content: [] }))
    return mcp
  })
  const app = express().use(express.json())
  app.post('/mcp', async (req, res) => {
    const { id, method, params } = req.body
    asked.push(method)
    if (!answers) return sendWebResponse(await fetch(webRequest(req), { parsedBody: req.body }), res)
    if (id === undefined) return void res.status(202).end()
    const { status, body } = answers(method, params)
    res.status(status).json({ jsonrpc: '2.0', id, ...body })
  })
  server = await listen(app, { host: '127.0.0.1', port: 0 })
})

afterEach(() => server.close(0))

const Tools = z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) })

async function toolNames(): Promise<string[]> {
  asked = []
  const target = { url: new URL(`http://127.0.0.1:${server.port}/mcp`), headers: {} }
  const { tools } = await askFunction(target, (client) => client.request({ method: 'tools/list' }, Tools))
  return tools.map(({ name }) => name)
}

/** As a server of 2025 does, which has never heard of `server/discover`. */
function answersOf2025(method: string, params?: { protocolVersion: string }): Answer {
  const serverInfo = { name: 'old', version: '1' }
  const initialized = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo }
  if (method === 'initialize') return { status: 200, body: { result: initialized } }
  if (method === 'tools/list' && asked.includes('initialize')) {
    return { status: 200, body: { result: { tools: [{ name: 'old_tool', inputSchema: { type: 'object' } }] } } }
  }
  return { status: 400, body: { error: { code: -32_601, message: 'no such method' } } }
}

test('skips discovery if the platform’s revision is known', async () => {
  const first = await toolNames()
  const askedFirst = asked

  expect([first, askedFirst]).toEqual([['list_files'], ['server/discover', 'tools/list']])
  expect([await toolNames(), asked]).toEqual([['list_files'], ['tools/list']])
})

describe('the tools of a function', () => {
  const listed = () => toolsAtOnce(new URL(`http://127.0.0.1:${server.port}/mcp`), {})

  test('are listed in one request if the revision is known', async () => {
    const before = await listed()
    await toolNames()
    asked = []

    expect(before).toBeUndefined()
    expect(await listed()).toMatchObject([{ name: 'list_files' }])
    expect(asked).toEqual(['tools/list'])
  })

  test.each<[string, Answer]>([
    ['a refusal', { status: 404 }],
    ['an error', { status: 200, body: { error: { code: -32_000, message: 'no' } } }],
    ['an invalid list', { status: 200, body: { result: { resultType: 'complete', tools: 'many' } } }],
  ])('are fetched by the library if the response is %s', async (_, answer) => {
    await toolNames()
    answers = () => answer

    expect([await listed(), asked]).toEqual([undefined, ['server/discover', 'tools/list', 'tools/list']])
    expect([await listed(), asked]).toEqual([undefined, ['server/discover', 'tools/list', 'tools/list']])
  })

  test('are fetched by the library if the platform supports only older revisions', async () => {
    answers = answersOf2025
    await toolNames()

    expect(await listed()).toBeUndefined()
  })
})

test('remembers that a platform supports only older revisions', async () => {
  answers = answersOf2025

  expect(await toolNames()).toEqual(['old_tool'])
  expect([await toolNames(), asked]).toEqual([['old_tool'], ['initialize', 'notifications/initialized', 'tools/list']])
})

test('falls back to the older protocol if discovery fails', async () => {
  answers = (method, params) => (method === 'server/discover' ? { status: 500 } : answersOf2025(method, params))

  expect(await toolNames()).toEqual(['old_tool'])
  await toolNames()
  expect(asked).not.toContain('server/discover')
})

test('follows a platform’s downgrade and upgrade', async () => {
  await toolNames()
  answers = answersOf2025
  expect(await toolNames()).toEqual(['old_tool'])

  answers = (method) =>
    method === 'initialize' ? { status: 400, body: { error: { code: -32_000, message: 'too old' } } } : fresh(method)
  expect(await toolNames()).toEqual(['new_tool'])
})

const discovered = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
}
const listed = { ...discovered, tools: [{ name: 'new_tool', inputSchema: { type: 'object' } }] }
const fresh = (method: string): Answer => ({
  status: 200,
  body: { result: method === 'tools/list' ? listed : discovered },
})

test('does not retry after a rejected key or an outage', async () => {
  await toolNames()
  for (const refusal of [
    { status: 401 },
    { status: 503 },
    { status: 200, body: { error: { code: -32_000, message: 'no', data: { code: 'grant_revoked' } } } },
  ]) {
    answers = () => refusal
    await expect(toolNames()).rejects.toThrow()
    expect(asked).toEqual(['tools/list'])
  }
})

test.each([
  ['grant_revoked', { cause: 'grant_revoked' }],
  ['client_rejected', { cause: 'client_rejected' }],
  ['insufficient_scope', { cause: 'scope_insufficient' }],
  ['refresh_refused', { unexplained: true }],
  ['profile_mismatch', { unclear: 'profile_mismatch' }],
  ['arguments_invalid', { unclear: 'profile_mismatch' }],
  ['tool_not_offered', { unclear: 'profile_mismatch' }],
  ['address_blocked', { unclear: 'address_blocked' }],
  ['rate_limited', { unclear: 'check_held_back' }],
  ['tool_held', { unclear: 'check_held_back' }],
  ['third_party_unavailable', {}],
  ['an unknown code', {}],
  [undefined, {}],
])('maps the tool error code %s to a cause, whatever its text says', async (code, meaning) => {
  const result = { resultType: 'complete', isError: true, content: [], ...(code && { _meta: { code } }) }
  answers = (method) => (method === 'tools/call' ? { status: 200, body: { result } } : fresh(method))
  const url = `http://127.0.0.1:${server.port}`
  const address = { baseUrl: url, apiKey: new Secret('key'), brand: 'Acme' }

  const tried = await tryTool(url, { address, headers: brandedHeaders('Acme') }, { name: 'list_files', arguments: {} })

  const nothing = { cause: undefined, unexplained: false, unclear: undefined, scope: undefined }
  expect(tried).toEqual({ failed: true, ...nothing, ...meaning })
})

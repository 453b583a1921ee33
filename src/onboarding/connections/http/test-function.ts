// The MCP server of a connection in test mode: one sample tool, without the platform.
import express, { type RequestHandler } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import type { Deps } from '../../domain/ports/ports.ts'
import { assertPost, callerOf, jsonOnly } from '../../http/guards.ts'
import { readBody } from '../../http/input-errors.ts'
import { openTestFunction, type TestFunction } from '../flows/call-test-function.ts'

const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().max(200),
  params: z.looseObject({ name: z.string().optional(), protocolVersion: z.string().optional() }).optional(),
})

type Message = z.output<typeof Message>

/** Without streams and sessions, these versions are alike. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

const tool = {
  name: 'get_account',
  title: 'Get account',
  description: 'A sample tool of test mode. Returns the linked account.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
}

export const testFunctions = ({ ports, authenticate }: Pick<Deps, 'ports'> & { authenticate: RequestHandler }) =>
  exactRouter().all(
    '/test-provider/functions/:connectionId/mcp',
    authenticate,
    (req, res, next) => {
      assertPost(req, res)
      next()
    },
    jsonOnly,
    express.json({ limit: '32kb', inflate: false }),
    async (req, res) => {
      const message = readBody(Message, req.body ?? {})
      const { connectionId = '' } = req.params
      const opened = await openTestFunction(ports, { caller: callerOf(res), connectionId: String(connectionId) })
      // A notification.
      if (message.id === undefined) return void res.status(202).end()
      res.json({ jsonrpc: '2.0', id: message.id, ...answerTo(message, opened) })
    },
  )

function answerTo({ method, params }: Message, opened: TestFunction): { result: object } | { error: object } {
  switch (method) {
    case 'initialize':
      return {
        result: {
          ...welcome,
          protocolVersion: versions.find((each) => each === params?.protocolVersion) ?? versions[0],
        },
      }
    case 'ping':
      return { result: {} }
    case 'tools/list':
      return { result: { tools: [tool] } }
    case 'tools/call':
      if (params?.name === tool.name) return { result: toolResult(opened) }
      return { error: { code: -32602, message: `Unknown tool. Test mode has only ${tool.name}.` } }
    default:
      return { error: { code: -32601, message: `Test mode does not answer ${method}.` } }
  }
}

const welcome = { capabilities: { tools: {} }, serverInfo: { name: 'causeway-test-mode', version: '1' } }

function toolResult({ hasAccess, account, integration }: TestFunction): object {
  if (!hasAccess)
    return { isError: true, content: [text(`Access to ${integration} has ended. Reconnect the account.`)] }
  return { content: [text(JSON.stringify({ account, integration, testMode: true }))] }
}

const text = (words: string) => ({ type: 'text', text: words })

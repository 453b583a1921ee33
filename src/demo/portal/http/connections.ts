// A linked account at work: its function's address, its tools, and a form for each.
import { Router, urlencoded } from 'express'
import type { Causeway, Connection } from '../adapters/causeway.ts'
import { addressOf, type Functions } from '../adapters/function-client.ts'
import { argumentsFrom, readableAnswer, type Tool, type ToolAnswer, toolOf } from '../domain/tool.ts'
import { userOf } from './session.ts'

type Needs = { causeway: Causeway; functions: Functions }

export function connectionPages({ causeway, functions }: Needs): Router {
  const find = async (id: string) => (await causeway.connections()).find((connection) => connection.id === id)

  return Router()
    .get('/connections/:id', async (req, res, next) => {
      const connection = await find(req.params.id)
      if (!connection) return next()
      const tools = await toolsOf(functions, connection)
      const page = { ...pageLocals(connection, tools), justLinked: 'linked' in req.query }
      res.render('demo/portal/connection', { user: userOf(req), ...page, call: undefined })
    })
    .post('/connections/:id/tools/:tool', urlencoded({ extended: false, limit: '64kb' }), async (req, res, next) => {
      const connection = await find(req.params.id)
      const tools = connection && (await toolsOf(functions, connection))
      const tool = tools?.find(({ name }) => name === req.params.tool)
      if (!connection || !tools || !tool) return next()
      const given: Record<string, unknown> = req.body ?? {}
      const answer = await callTool(functions, connection, tool, argumentsFrom(tool, given))
      const page = { ...pageLocals(connection, tools), justLinked: false }
      res.render('demo/portal/connection', { user: userOf(req), ...page, call: { tool, given, answer } })
    })
}

/** Nothing instead of a list when the function does not answer: the page says so and stays useful. */
const toolsOf = async (functions: Functions, { functionUrl }: Connection): Promise<Tool[] | undefined> =>
  functions.tools(functionUrl).then(
    (tools) => tools.map(toolOf),
    () => undefined,
  )

const callTool = (functions: Functions, { functionUrl }: Connection, { name }: Tool, given: object) =>
  functions
    .call(functionUrl, name, { ...given })
    .then(
      readableAnswer,
      (): ToolAnswer => ({ kind: 'failed', text: 'The function isn’t responding. Try again in a moment.' }),
    )

const pageLocals = (connection: Connection, tools: Tool[] | undefined) => ({
  id: connection.id,
  integration: connection.integration,
  label: connection.upstreamAccount?.label ?? connection.name,
  works: connection.status === 'active',
  facts: [
    ['Account', connection.upstreamAccount?.label ?? 'not told'],
    ['Integration', connection.integration],
    ['Workspace', connection.workspace],
    ['Function', connection.functionName],
  ],
  address: addressOf(connection.functionUrl),
  tools,
})

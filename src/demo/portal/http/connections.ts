import { type Request, Router, urlencoded } from 'express'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { Causeway, Connection } from '../adapters/causeway.ts'
import { addressOf, type Functions } from '../adapters/function-client.ts'
import { wordsForUser } from '../domain/cause.ts'
import { argumentsFrom, readableAnswer, type Tool, type ToolAnswer, toolOf } from '../domain/tool.ts'
import { leaveFor, type SendingNeeds, sendToCauseway } from './send-to-causeway.ts'
import { portalOf, saved, userOf } from './session.ts'

type Needs = SendingNeeds & { causeway: Causeway; functions: Functions }

export function connectionPages({ causeway, functions, ...needs }: Needs): Router {
  const send = sendToCauseway(needs)
  const find = async (req: Request<{ id: string }>) => {
    const own = await causeway.connections(userOf(req).id)
    return own.some(({ id }) => id === req.params.id) ? causeway.connection(req.params.id) : undefined
  }
  /** A tool may fail because the grant is dead. Then the page explains that instead. */
  const checked = async ({ id }: Connection) => {
    await causeway.check(id, 'a tool failed in Acme').catch(ignoreError('the connection is shown as known'))
    return causeway.connection(id)
  }
  const show = async (connection: Connection, tools: Tool[] | undefined) => {
    const app = (await causeway.integrations()).find(({ id }) => id === connection.integrationId)
    return pageLocals(connection, app?.displayName ?? connection.integrationId, tools)
  }

  return Router()
    .get('/connections/:id', async (req, res, next) => {
      const connection = await find(req)
      if (!connection) return next()
      const tools = isWorking(connection) ? await toolsOf(functions, connection) : undefined
      const page = { ...(await show(connection, tools)), justLinked: 'linked' in req.query }
      res.render('demo/portal/connection', { user: userOf(req), ...page, call: undefined })
    })
    .post('/connections/:id/tools/:tool', urlencoded({ extended: false, limit: '64kb' }), async (req, res, next) => {
      const connection = await find(req)
      const tools = connection && (await toolsOf(functions, connection))
      const tool = tools?.find(({ name }) => name === req.params.tool)
      if (!connection || !tools || !tool) return next()
      const given: Record<string, unknown> = req.body ?? {}
      const answer = await callTool(functions, connection, tool, argumentsFrom(tool, given))
      const now = answer.kind === 'failed' ? await checked(connection) : connection
      const page = { ...(await show(now, isWorking(now) ? tools : undefined)), justLinked: false }
      const call = isWorking(now) ? { tool, given, answer } : undefined
      res.render('demo/portal/connection', { user: userOf(req), ...page, call })
    })
    .post('/connections/:id/mcp-client', async (req, res, next) => {
      const connection = await find(req)
      if (!connection) return next()
      const { url } = await causeway.functionLogin(connection.id)
      leaveFor(res, url, 'Taking you to the sign-in for your MCP client.')
    })
    .post('/connections/:id/relink', async (req, res, next) => {
      const connection = await find(req)
      if (!connection) return next()
      const reason = 'the user chose Reconnect in Acme'
      await send(req, res, (session) => causeway.relink(connection.id, { reason, ...session }))
    })
    .post('/connections/:id/disconnect', async (req, res, next) => {
      const connection = await find(req)
      if (!connection) return next()
      const { status } = await causeway.disconnect(connection.id, 'the user chose Disconnect in Acme')
      portalOf(req).notice = status === 'done' ? disconnected(connection) : disconnecting(connection)
      await saved(req)
      res.redirect(303, '/integrations')
    })
}

const isWorking = ({ status }: Connection) => status === 'active'

const labelOf = ({ upstreamAccount, name }: Connection) => upstreamAccount?.label ?? name

const disconnected = (connection: Connection) => ({
  kind: 'success' as const,
  title: 'Disconnected',
  text: `Acme can no longer access ${labelOf(connection)}.`,
})

const disconnecting = (connection: Connection) => ({
  kind: 'success' as const,
  title: 'Disconnecting',
  text: `${labelOf(connection)} will be gone from this page in a moment.`,
})

/** Returns undefined if the function doesn't respond, so that the page can say so. */
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

const pageLocals = (connection: Connection, app: string, tools: Tool[] | undefined) => ({
  id: connection.id,
  app,
  label: labelOf(connection),
  works: isWorking(connection),
  cause: wordsForUser(connection, app),
  facts: [
    ['Account', connection.upstreamAccount?.label ?? 'not told'],
    ['Integration', app],
    ['Workspace', connection.workspace],
    ['Function', connection.functionName],
  ],
  address: addressOf(connection.functionUrl),
  tools,
})

import { type Request, type RequestHandler, type Response, Router } from 'express'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type FunctionName, mcpAddress } from '../../shared/domain/function-resource.ts'
import { meansWorkspace } from '../../shared/http/addressed-to.ts'
import { beforeEnd } from '../../shared/http/before-end.ts'
import { enterGateway, reenterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import type { MeteredRun, RunDescription } from '../flows/meter-run.ts'
import type { RecordCalls } from '../flows/record-calls.ts'
import { browserClients, challengeFor, type McpAddresses, protectedResources } from './mcp-access.ts'
import { beginBody, type ServeMcp } from './serve-mcp.ts'

export type McpFlows = {
  openFunction(workspace: string, name: string): Promise<OpenMcp>
  recordCalls: RecordCalls
  meterRun(metered: RunDescription): MeteredRun
}

/** `direct` takes most requests, `routes` those whose address is written in another way. */
export type McpRoutes = { routes: Router; direct: RequestHandler }

type Parts = { flows: McpFlows; guards: Guards; serve: ServeMcp; addresses: McpAddresses }

/** MCP servers of functions, each an OAuth resource of its own. */
export function mcpRoutes({ flows, guards, serve, addresses }: Parts): McpRoutes {
  const { gatewayUrl } = addresses
  const answer = async (of: FunctionName, req: Request, res: Response) => {
    const entry = { scope: 'functions:get', workspace: of.workspace, resource: mcpAddress(gatewayUrl, of) }
    const member = await enterGateway(req, guards, entry)
    const { workspace } = member
    if (req.method === 'POST') void beginBody(req, res)
    const mcp = flows.recordCalls(await flows.openFunction(workspace, of.name), member)
    assertSameFunction(member, mcp)
    // A GET waits for what may come up, or reads once more what was billed when it was asked for.
    const run = req.method === 'POST' ? flows.meterRun(meteredOf(mcp, workspace, requestIdOf(res))) : undefined
    if (run) beforeEnd(res, run.end)
    const enterAgain = async () => {
      const again = await reenterGateway(req, guards, { ...entry, workspace })
      const found = await flows.openFunction(workspace, of.name)
      assertSameFunction(again, found)
      if (found.id !== mcp.id) throw new Failure('resource_unknown', 'No function has this name.')
    }
    await serve(
      { workspace, kind: 'function', name: mcp.name },
      { member, enterAgain },
      run?.billing(mcp) ?? mcp,
      req,
      res,
    )
  }
  const answerOrChallenge = (of: FunctionName, req: Request, res: Response) =>
    answer(of, req, res).catch((error) => {
      const challenge = error instanceof Failure ? challengeFor(gatewayUrl, of, error.code) : undefined
      if (challenge !== undefined) res.locals.challenge = challenge
      throw error
    })
  const browsers = browserClients(addresses)
  const routes = Router()
    .use(protectedResources(addresses))
    .all(path, browsers, (req, res) =>
      answerOrChallenge({ workspace: String(req.params.workspace), name: String(req.params.name) }, req, res),
    )
  return { routes, direct: directly(browsers, answerOrChallenge) }
}

const path = '/:workspace/functions/:name/mcp'
const plainAddress = /^\/([\w-]+)\/functions\/([\w-]+)\/mcp$/

/** Around the routes of all the pages: what is asked for all day by programs need not be compared with each of them. */
function directly(
  browsers: RequestHandler,
  answer: (of: FunctionName, req: Request, res: Response) => Promise<void>,
): RequestHandler {
  return (req, res, next) => {
    const [, workspace = '', name = ''] = plainAddress.exec(req.url) ?? []
    if (name === '' || !meansWorkspace(req, workspace)) return next()
    Object.assign(req, { params: { workspace, name }, route: { path } })
    browsers(req, res, () => void answer({ workspace, name }, req, res).catch(next))
  }
}

/** Who was let in to one function is not let in to a later one of the same name. */
function assertSameFunction({ caller: { onlyAt } }: Member, { id }: OpenMcp): void {
  if (onlyAt?.functionId === undefined || onlyAt.functionId === id) return
  throw new Failure('credential_invalid', 'The credential is not valid.')
}

const meteredOf = (mcp: OpenMcp, workspace: string, eventId: string): RunDescription => ({
  eventId,
  workspace,
  resourceType: 'mcp_server',
  resourceName: mcp.name,
  resourceUuid: mcp.id,
  dimension: 'mcp_server_compute_runtime_gbs',
  memoryMb: mcp.memoryMb,
})

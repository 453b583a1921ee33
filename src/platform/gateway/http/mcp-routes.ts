import { type Request, type Response, Router } from 'express'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type FunctionName, mcpAddress } from '../../shared/domain/function-resource.ts'
import { beforeEnd } from '../../shared/http/before-end.ts'
import { enterGateway, reenterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import type { MeteredRun, RunDescription } from '../flows/meter-run.ts'
import type { RecordCalls } from '../flows/record-calls.ts'
import { browserClients, challengeFor, type McpAddresses, protectedResources } from './mcp-access.ts'
import type { ServeMcp } from './serve-mcp.ts'

export type McpFlows = {
  openFunction(workspace: string, name: string): Promise<OpenMcp>
  recordCalls: RecordCalls
  meterRun(metered: RunDescription): MeteredRun
}

type Parts = { flows: McpFlows; guards: Guards; serve: ServeMcp; addresses: McpAddresses }

/** MCP servers of functions, each an OAuth resource of its own. */
export function mcpRoutes({ flows, guards, serve, addresses }: Parts): Router {
  const { gatewayUrl } = addresses
  const answer = async (of: FunctionName, req: Request, res: Response) => {
    const entry = { scope: 'functions:get', workspace: of.workspace, resource: mcpAddress(gatewayUrl, of) }
    const member = await enterGateway(req, guards, entry)
    const { workspace } = member
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
  return Router()
    .use(protectedResources(addresses))
    .all('/:workspace/functions/:name/mcp', browserClients(addresses), (req, res) => {
      const of = { workspace: String(req.params.workspace), name: String(req.params.name) }
      return answer(of, req, res).catch((error) => {
        const challenge = error instanceof Failure ? challengeFor(gatewayUrl, of, error.code) : undefined
        if (challenge !== undefined) res.locals.challenge = challenge
        throw error
      })
    })
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

import type { Request, RequestHandler, Response, Router } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type FunctionName, isFunctionName, mcpAddress } from '../../shared/domain/function-resource.ts'
import { meansWorkspace } from '../../shared/http/addressed-to.ts'
import { beforeEnd } from '../../shared/http/before-end.ts'
import { enterGateway, reenterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import { meterRun, type RunDescription } from '../flows/meter-run.ts'
import { type CallPorts, callsOf } from '../flows/servers/calls-of.ts'
import { browserClients, challengeFor, type McpAddresses, protectedResources } from './mcp-access.ts'
import type { serveMcpImage } from './mcp-image.ts'
import { beginBody, type ServeMcp } from './serve-mcp.ts'

export type Parts = {
  ports: Parameters<typeof meterRun>[0] & CallPorts
  openFunction(workspace: string, name: string, client: string): Promise<OpenMcp>
  guards: Guards
  serve: ServeMcp
  serveImage: ReturnType<typeof serveMcpImage>
  addresses: McpAddresses
}

export function mcpRoutes({ ports, openFunction, guards, serve, serveImage, addresses }: Parts): Router {
  const { gatewayUrl } = addresses
  const openFor = async (member: Member, name: string) => {
    const opened = await openFunction(member.workspace, name, member.caller.onlyAt?.clientId ?? '')
    assertSameFunction(member, opened)
    return opened
  }
  const answer = async (of: FunctionName, req: Request, res: Response) => {
    const entry = { scope: 'functions:get', workspace: of.workspace, resource: mcpAddress(gatewayUrl, of) }
    const member = await enterGateway(req, guards, entry)
    const { workspace } = member
    if (req.method === 'POST') void beginBody(req, res)
    const mcp = await openFor(member, of.name)
    // A GET is not billed: it waits for messages or reads a response that was billed before.
    const run = req.method === 'POST' ? meterRun(ports, meteredOf(mcp, workspace, requestIdOf(res))) : undefined
    if (run) beforeEnd(res, run.end)
    const enterAgain = async () => {
      const again = await reenterGateway(req, guards, { ...entry, workspace })
      const found = await openFor(again, of.name)
      if (found.id !== mcp.id) throw new Failure('resource_unknown', 'No function has this name.')
      return found
    }
    if (mcp.image) return serveImage({ caller: member.caller, workspace, mcp, enterAgain }, req, res)
    const target = { workspace, kind: 'function', name: mcp.name } as const
    await serve(target, { member, enterAgain }, callsOf(ports, mcp, { member, run, reopen: enterAgain }), req, res)
  }
  const answerOrChallenge = (of: FunctionName, req: Request, res: Response) =>
    answer(of, req, res).catch((error) => {
      const isNamed = error instanceof Failure && isFunctionName(of)
      const challenge = isNamed ? challengeFor(mcpAddress(gatewayUrl, of), error.code) : undefined
      if (challenge !== undefined) res.locals.challenge = challenge
      throw error
    })
  return exactRouter()
    .use(protectedResources(addresses))
    .all('/:workspace/functions/:name/mcp', forWorkspace, browserClients(addresses), (req, res) =>
      answerOrChallenge({ workspace: String(req.params.workspace), name: String(req.params.name) }, req, res),
    )
}

export const forWorkspace: RequestHandler = (req, _res, next) =>
  meansWorkspace(req, String(req.params.workspace)) ? next() : next('route')

/** A token for a deleted function is not valid for a new one of the same name. */
function assertSameFunction({ caller: { onlyAt } }: Member, { id }: OpenMcp): void {
  if (onlyAt === undefined || onlyAt.functionId === id) return
  throw new Failure('credential_invalid', 'The credential is not valid.')
}

export const meteredOf = (mcp: OpenMcp, workspace: string, eventId: string): RunDescription => ({
  eventId,
  workspace,
  resourceType: 'mcp_server',
  resourceName: mcp.name,
  resourceUuid: mcp.id,
  dimension: 'mcp_server_compute_runtime_gbs',
  memoryMb: mcp.memoryMb,
})

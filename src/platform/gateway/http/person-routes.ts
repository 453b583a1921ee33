// One address for all functions of a person: the person's login or a workspace key that names the end user.
import type { Request, RequestHandler, Response, Router } from 'express'
import { EndUser } from '../../../contract/headers.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { personAddress } from '../../shared/domain/function-resource.ts'
import { isGatewayPath, meansWorkspace } from '../../shared/http/addressed-to.ts'
import { enterGateway, reenterGateway } from '../../shared/http/enter-gateway.ts'
import { meterRun } from '../flows/meter-run.ts'
import { callsOf } from '../flows/servers/calls-of.ts'
import { openPerson, type PersonPorts } from '../flows/servers/open-person.ts'
import { browserClients, challengeFor } from './mcp-access.ts'
import { messagesOf } from './mcp-messages.ts'
import { meteredOf, type Parts } from './mcp-routes.ts'
import { beginBody } from './serve-mcp.ts'

type PersonParts = Parts & { ports: Parts['ports'] & PersonPorts }

export function personRoutes({ ports, openFunction, guards, serve, addresses }: PersonParts): Router {
  const { gatewayUrl } = addresses
  const openSame = async ({ workspace, caller }: Member, name: string, functionId: string) => {
    const opened = await openFunction(workspace, name, caller.onlyAt?.clientId ?? '')
    if (opened.id !== functionId) throw new Failure('resource_unknown', 'No function has this name.')
    return opened
  }
  const endUserOf = async ({ caller }: Member, req: Request): Promise<string> => {
    const named = namedIn(req, guards.headers.endUser)
    const own = caller.kind === 'end_user' ? await ports.endUserIdOf(caller.id) : undefined
    const endUserId = own ?? named
    if (endUserId === undefined || (caller.kind === 'end_user' && own === undefined))
      throw new Failure('input_invalid', `Name the end user in the header ${guards.headers.endUser}.`)
    if (named !== undefined && named !== endUserId)
      throw new Failure('role_missing', 'The header names another end user than the login.')
    return endUserId
  }
  const answer = async (workspace: string, req: Request, res: Response) => {
    const entry = { scope: 'functions:get', workspace, resource: personAddress(gatewayUrl, workspace) }
    const member = await enterGateway(req, guards, entry)
    const endUserId = await endUserOf(member, req)
    if (req.method === 'POST') await beginBody(req, res)
    const enterAgain = async () => endUserOf(await reenterGateway(req, guards, entry), req)
    const mcp = await openPerson(ports, member, endUserId, toolsIn(req.body), async (by, name, functionId) => {
      const opened = await openSame(by, name, functionId)
      // Each call is billed as one of its function.
      const run = meterRun(ports, meteredOf(opened, workspace, `${requestIdOf(res)}:${functionId}`))
      const reopen = async () => {
        await enterAgain()
        return openSame(by, name, functionId)
      }
      return callsOf(ports, opened, { member: by, run, reopen })
    })
    await serve({ workspace, kind: 'person', name: endUserId }, { member, enterAgain }, mcp, req, res)
  }
  const answerOrChallenge = (workspace: string, req: Request, res: Response) =>
    answer(workspace, req, res).catch((error) => {
      const resource = personAddress(gatewayUrl, workspace)
      const challenge = error instanceof Failure ? challengeFor(resource, error.code) : undefined
      if (challenge !== undefined) res.locals.challenge = challenge
      throw error
    })
  return exactRouter().all('/:workspace/mcp', forPerson, browserClients(addresses), (req, res) =>
    answerOrChallenge(String(req.params.workspace), req, res),
  )
}

function toolsIn(body: unknown) {
  const messages = messagesOf(body)
  return {
    calls: messages.flatMap(({ method, params }) =>
      method === 'tools/call' && typeof params?.name === 'string' ? params.name : [],
    ),
    lists: messages.some(({ method }) => method === 'tools/list'),
  }
}

const forPerson: RequestHandler = (req, _res, next) =>
  isGatewayPath(req.path) && meansWorkspace(req, String(req.params.workspace)) ? next() : next('route')

function namedIn(req: Request, header: string): string | undefined {
  const given = req.get(header)
  if (given === undefined) return undefined
  const read = EndUser.safeParse(given)
  try {
    if (read.success) return decodeURIComponent(read.data)
  } catch {
    // Bytes that are not UTF-8.
  }
  throw new Failure('input_invalid', `${header} must be the percent-encoded ID of an end user.`)
}

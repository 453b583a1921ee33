import { z } from 'zod'
import {
  EndedLogins,
  EndLoginsQuery,
  FunctionGrant as FunctionGrantDocument,
  FunctionGrantQuery,
  FunctionLogin,
  FunctionLoginInput,
} from '../../../contract/control-plane/function-access.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import { mcpAddress } from '../../shared/domain/function-resource.ts'
import type { MemberRequest, Operation } from '../../shared/http/operation.ts'
import type { FunctionGrant } from '../domain/function-access.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { createLogin, listGrants, revokeGrant } from '../flows/function-access.ts'
import { signOutEndUser } from '../flows/remember-browser.ts'
import { loginPath } from './function-login-pages.ts'

type Addresses = { publicUrl: string; gatewayUrl: string }

const nameIn = ({ req }: Pick<MemberRequest, 'req'>) => String(req.params.functionName)

export const functionAccessOperations = (ports: IdentityPorts, { publicUrl, gatewayUrl }: Addresses): Operation[] => [
  {
    method: 'post',
    path: '/functions/{functionName}/logins',
    scope: 'functions:update',
    summary: 'Create a login with which an end user opens a function in an MCP client',
    body: FunctionLoginInput,
    answers: { 200: FunctionLogin },
    handle: async (request): Promise<FunctionLogin> => {
      const { endUser, expiresIn } = FunctionLoginInput.parse(request.req.body)
      const name = nameIn(request)
      const wanted = { endUserId: endUser.id, label: endUser.label, expiresInSeconds: expiresIn }
      const { token, expiresAt } = await createLogin(ports, request.member, name, wanted)
      const url = new URL(`${loginPath}/${token.reveal()}`, publicUrl).href
      const mcpUrl = mcpAddress(gatewayUrl, { workspace: request.member.workspace, name })
      return { url, expiresAt: expiresAt.toISOString(), mcpUrl }
    },
  },
  {
    method: 'delete',
    path: '/functions/{functionName}/logins',
    scope: 'functions:update',
    summary: 'End all logins of an end user in the workspace, and forget the browsers that remember them',
    query: EndLoginsQuery,
    answers: { 200: EndedLogins },
    handle: async (request): Promise<EndedLogins> => {
      const { endUserId } = EndLoginsQuery.parse(request.req.query)
      return { rememberedBrowsers: await signOutEndUser(ports, request.member, nameIn(request), endUserId) }
    },
  },
  {
    method: 'get',
    path: '/functions/{functionName}/grants',
    scope: 'functions:get',
    summary: 'List the grants of a function to apps',
    query: FunctionGrantQuery,
    answers: { 200: z.array(FunctionGrantDocument) },
    handle: async (request) => {
      const { endUserId } = FunctionGrantQuery.parse(request.req.query)
      const of = { workspace: request.member.workspace, name: nameIn(request) }
      return (await listGrants(ports, of, endUserId)).map(showGrant)
    },
  },
  {
    method: 'delete',
    path: '/functions/{functionName}/grants/{grantId}',
    scope: 'functions:update',
    summary: 'Revoke a grant of a function; its tokens end within seconds',
    answers: { 200: FunctionGrantDocument },
    handle: async (request) => {
      const of = { workspace: request.member.workspace, name: nameIn(request) }
      const id = String(request.req.params.grantId)
      return showGrant(await revokeGrant(ports, of, id, actorOf(request.member.caller)))
    },
  },
]

const showGrant = (grant: FunctionGrant): FunctionGrantDocument => ({
  id: grant.id,
  account: grant.accountLabel,
  ...(grant.endUserId !== undefined && { endUserId: grant.endUserId }),
  app: { clientId: grant.clientId, name: grant.clientName, redirectsTo: grant.redirectTo },
  scopes: grant.scopes,
  createdAt: grant.createdAt.toISOString(),
})

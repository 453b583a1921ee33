import type { IncomingMessage } from 'node:http'
import { type Caller, type Member, requireScope } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import { firstToolScope } from '../domain/function-resource.ts'
import { isLoopback } from '../domain/loopback.ts'
import type { Guards } from './operation.ts'

/** Who asks, in the workspace that the address names. A header that names another one is refused. */
export const enterGateway: Enter = async (req, guards, { resource, ...into }) =>
  enterAs(await guards.identify(req, resource), req, guards, into)

/** The same for a request that is still under way: rejects if it would not be let in now. */
export const reenterGateway: Enter = async (req, guards, { resource, ...into }) =>
  enterAs(await guards.identifyAgain(req, resource), req, guards, into)

/** `resource`: the MCP server of a function; tokens for it are taken there and nowhere else. */
type Entry = { scope: string; workspace: string; resource?: string | undefined }
type Enter = (req: IncomingMessage, guards: Guards, into: Entry) => Promise<Member>

function enterAs(caller: Caller, req: IncomingMessage, guards: Guards, { scope, workspace }: Entry) {
  requireScope(caller, caller.onlyAt ? firstToolScope : scope)
  const named = req.headers[guards.headers.workspace.toLowerCase()]
  if (named !== undefined && named !== workspace) {
    throw new Failure('workspace_ambiguous', 'The header names another workspace than the address.')
  }
  return guards.enter(caller, workspace)
}

/**
 * A page of another site must not reach MCP servers through the network of a visitor's browser (DNS rebinding):
 * the transport's specification wants the origin checked. Programs send none.
 */
export function assertOwnOrigin(req: IncomingMessage, publicUrl: string, welcome: readonly string[] = []): void {
  const origin = req.headers.origin
  const ours = new URL(publicUrl)
  if (origin === undefined || origin === ours.origin || welcome.includes(origin)) return
  // On a loopback address, pages of this machine are accepted from any port.
  if (isLoopback(ours.hostname) && URL.canParse(origin) && isLoopback(new URL(origin).hostname)) return
  throw new Failure('role_missing', 'Requests from other sites are not accepted.')
}

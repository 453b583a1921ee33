import type { IncomingMessage } from 'node:http'
import { type Caller, type Member, requireScope } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import { firstToolScope } from '../domain/function-resource.ts'
import { isLoopback } from '../domain/loopback.ts'
import type { Guards } from './operation.ts'

/** Who asks, in the workspace that the address names. A header that names another one is a mistake we do not resolve. */
export async function enterGateway(
  req: IncomingMessage,
  guards: Guards,
  scope: string,
  workspace: string,
  resource?: string,
): Promise<Member> {
  return enterAs(await guards.identify(req, resource), req, guards, scope, workspace)
}

/** For a request that was let in and is still under way: rejects when it would not be let in now. */
export async function reenterGateway(
  req: IncomingMessage,
  guards: Guards,
  scope: string,
  workspace: string,
  resource?: string,
): Promise<Member> {
  return enterAs(await guards.identifyAgain(req, resource), req, guards, scope, workspace)
}

function enterAs(caller: Caller, req: IncomingMessage, guards: Guards, scope: string, workspace: string) {
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
  // At home on this machine alone, pages of this machine are welcome, whatever port they came from.
  if (isLoopback(ours.hostname) && URL.canParse(origin) && isLoopback(new URL(origin).hostname)) return
  throw new Failure('role_missing', 'Requests of other sites are not taken.')
}

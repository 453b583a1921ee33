import type { IncomingMessage } from 'node:http'
import { type Caller, type Member, requireScope } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import { firstToolScope } from '../domain/function-resource.ts'
import { isLoopback } from '../domain/loopback.ts'
import type { Guards } from './operation.ts'

export const enterGateway: Enter = async (req, guards, { resource, ...into }) =>
  enterAs(await guards.identify(req, resource), req, guards, into)

/** For a request in progress: rejects if it would no longer be allowed. */
export const reenterGateway: Enter = async (req, guards, { resource, ...into }) =>
  enterAs(await guards.identifyAgain(req, resource), req, guards, into)

/** `resource`: the MCP server of a function, whose tokens are accepted only there. */
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

/** Prevents DNS rebinding: the MCP transport requires an Origin check. Programs send no Origin. */
export function assertOwnOrigin(req: IncomingMessage, publicUrl: string, welcome: readonly string[] = []): void {
  const origin = req.headers.origin
  const ours = new URL(publicUrl)
  if (origin === undefined || origin === ours.origin || welcome.includes(origin)) return
  // On loopback, pages of this machine are accepted from any port.
  if (isLoopback(ours.hostname) && URL.canParse(origin) && isLoopback(new URL(origin).hostname)) return
  throw new Failure('role_missing', 'Requests from other sites are not accepted.')
}

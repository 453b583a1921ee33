import type { Request } from 'express'
import type { Member } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import { requireScope } from '../domain/permission.ts'
import { credentialOf } from './credential.ts'
import type { Guards } from './operation.ts'

/** Who asks, in the workspace that the address names. */
export async function enterGateway(req: Request, guards: Guards, scope: string, workspace: string): Promise<Member> {
  const caller = await guards.identify(credentialOf(req, guards.headers))
  requireScope(caller, scope)
  return guards.enter(caller, workspace)
}

/**
 * A page of another site must not talk to MCP servers through a browser's own network place (DNS rebinding):
 * the transport's specification wants the origin checked. Programs send none.
 */
export function refuseForeignOrigin(req: Request, publicUrl: string): void {
  const origin = req.get('Origin')
  if (origin === undefined || origin === new URL(publicUrl).origin) return
  throw new Failure('role_missing', 'Requests of other sites are not taken.')
}

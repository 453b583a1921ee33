import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { RouteDescription } from '../../../kit/http/openapi/route-description.ts'
import type { Log } from '../../../kit/process/log.ts'
import type { IdempotencyStore } from '../../../kit/process/run-idempotent.ts'
import type { Caller, Member } from '../domain/caller.ts'

/** One API operation: what it takes and answers, the scope it needs, and its handler. */
export type Operation = RouteDescription & {
  scope: string
  adminOnly?: true
  /** The body is JSON whatever its content type says, and may be long. */
  anyContentType?: true
} & (
    | { handle(request: MemberRequest): Promise<unknown> }
    /** For what is not inside a workspace. */
    | { handleCaller(request: CallerRequest): Promise<unknown> }
  )

export type MemberRequest = { member: Member; req: Request; res: Response }
export type CallerRequest = { caller: Caller; req: Request; res: Response }

export type Guards = {
  headers: BrandedHeaders
  /** `resource`: the MCP server of a function that is asked; tokens for it are taken there and nowhere else. */
  identify(req: IncomingMessage, resource?: string): Promise<Caller>
  /** The same for a request that was let in before, and is still under way. */
  identifyAgain(req: IncomingMessage, resource?: string): Promise<Caller>
  /** Counts a request as so many more. */
  countMore(caller: Caller, times: number): void
  enter(caller: Caller, workspace: string | undefined): Promise<Member>
  /** Where first answers are kept; without it, keys of requests have no effect. */
  idempotency?: IdempotencyStore<string>
  log: Log<'idempotency.unstored'>
}

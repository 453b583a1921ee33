import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { RouteDescription } from '../../../kit/http/openapi/route-description.ts'
import type { Log } from '../../../kit/process/log.ts'
import type { IdempotencyStore } from '../../../kit/process/run-idempotent.ts'
import type { Caller, Member } from '../domain/caller.ts'

export type Operation = RouteDescription & {
  scope: string
  adminOnly?: true
  anyContentType?: true
} & ({ handle(request: MemberRequest): Promise<unknown> } | { handleCaller(request: CallerRequest): Promise<unknown> })

export type MemberRequest = { member: Member; req: Request; res: Response }
export type CallerRequest = { caller: Caller; req: Request; res: Response }

export type Guards = {
  headers: BrandedHeaders
  /** `resource`: the requested MCP server of a function, whose tokens are accepted only there. */
  identify(req: IncomingMessage, resource?: string): Promise<Caller>
  /** For a request in progress. */
  identifyAgain(req: IncomingMessage, resource?: string): Promise<Caller>
  countMore(caller: Caller, times: number): void
  countPreview<T>(req: IncomingMessage, id: string, open: () => Promise<T>): Promise<T>
  enter(caller: Caller, workspace: string | undefined): Promise<Member>
  idempotency?: IdempotencyStore<string>
  log: Log<'idempotency.unstored'>
}

import type { IncomingMessage } from 'node:http'
import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { Log } from '../../../kit/process/log.ts'
import type { Caller, Member } from '../domain/caller.ts'
import type { Idempotency } from '../domain/idempotency.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

/** One API operation: its address, the scope it needs, and its handler. */
export type Operation = {
  method: Method
  path: string
  scope: string
  adminOnly?: true
  /** The body is JSON whatever its content type says, and may be long. */
  anyContentType?: true
  summary: string
  schemas: { query?: z.ZodType; body?: z.ZodType; answer: z.ZodType }
} & (
  | { answer(request: MemberRequest): Promise<unknown> }
  /** For what is not inside a workspace. */
  | { answerCaller(request: CallerRequest): Promise<unknown> }
)

export type MemberRequest = { member: Member; req: Request; res: Response }
export type CallerRequest = { caller: Caller; req: Request; res: Response }

export type Guards = {
  headers: BrandedHeaders
  identify(req: IncomingMessage): Promise<Caller>
  enter(caller: Caller, workspace: string | undefined): Promise<Member>
  /** Where first answers are kept; without it, keys of requests have no effect. */
  idempotency?: Idempotency
  log: Log
}

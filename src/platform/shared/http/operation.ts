import type { IncomingMessage } from 'node:http'
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { readJson } from '../../../kit/http/json-body.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Caller, Member } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import type { Idempotency } from '../domain/idempotency.ts'
import { requireAdmin, requireScope } from '../domain/permission.ts'
import { apiDate } from './api-date.ts'
import { onceOnly } from './once-only.ts'
import { operationTable } from './operation-table.ts'
import { storable } from './storable.ts'
import { workspaceOf } from './workspace-of.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

/** One thing a caller can ask for: where, with which right, and what answers it. */
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
}

/** Everything below here is answered by operations. */
const base = '/v0'

/**
 * The right to ask is settled before the body is read, so a stranger learns nothing from what we think of it.
 * One step instead of a chain of them: for most operations the chain would be the larger part of the work.
 */
export function serveOperations(
  operations: readonly Operation[],
  guards: Guards,
  fail: ErrorRequestHandler,
): RequestHandler {
  const table = operationTable(operations)
  return (req, res, next) => {
    const path = pathOf(req.url)
    if (path === undefined) return next()
    serve(table, guards, path, req, res, next).catch((error) => fail(error, req, res, next))
  }
}

function pathOf(url: string): string | undefined {
  if (!url.startsWith(`${base}/`)) return undefined
  const query = url.indexOf('?')
  return url.slice(base.length, query < 0 ? undefined : query)
}

type Table = ReturnType<typeof operationTable>

async function serve(table: Table, guards: Guards, path: string, req: Request, res: Response, next: NextFunction) {
  const found = table.find(req.method === 'HEAD' ? 'GET' : req.method, path)
  if (!found) return next()
  res.locals.apiVersion = apiDate(req, guards.headers)
  if ('allowed' in found) return refuseMethod(res, found.allowed)
  const { operation, params } = found
  Object.assign(req, { params, baseUrl: base, route: { path: operation.path } })
  await guard(operation, guards, req, res)
  if (req.method !== 'GET' && req.method !== 'HEAD') req.body = await bodyOf(operation, req)
  const { caller, member } = res.locals as { caller: Caller; member: Member }
  const run = () =>
    'answer' in operation ? operation.answer({ member, req, res }) : operation.answerCaller({ caller, req, res })
  const body = await onceOnly(guards.idempotency, req, res, run)
  if (body !== undefined) sendJson(res, body)
}

async function guard(operation: Operation, { headers, identify, enter }: Guards, req: Request, res: Response) {
  const known = await identify(req)
  // Only changes are written down with where they came from.
  const caller = req.method === 'GET' ? known : { ...known, from: { requestId: requestIdOf(res), address: req.ip } }
  requireScope(caller, operation.scope)
  res.locals.caller = caller
  if (!('answer' in operation)) return
  res.locals.member = await enter(caller, workspaceOf(req, headers))
  if (operation.adminOnly) requireAdmin(res.locals.member)
}

/** Far above any document that is not an attack. */
const largestDocument = 256 * 1024
const largestOfAnyType = 16 * 1024 * 1024

async function bodyOf({ anyContentType }: Operation, req: Request): Promise<unknown> {
  const hasBody = Number(req.headers['content-length'] ?? 0) > 0 || req.headers['transfer-encoding'] !== undefined
  if (!hasBody) return undefined
  if (!anyContentType && !isJson(req)) throw new Failure('media_type_unsupported', 'Send application/json.')
  const body = await readJson(req, anyContentType ? largestOfAnyType : largestDocument)
  if (!storable(body)) throw new Failure('input_invalid', 'A text in the body cannot be stored.')
  return body
}

const isJson = ({ headers }: Request) => /^application\/json *(;|$)/i.test(headers['content-type'] ?? '')

/** As one text, so that headers and body leave in one piece. */
function sendJson(res: Response, body: unknown): void {
  const text = JSON.stringify(body)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.end(text)
}

function refuseMethod(res: Response, allowed: readonly string[]): never {
  res.set('Allow', allowed.join(', '))
  throw new Failure('method_not_allowed', `Allowed here: ${allowed.join(', ')}.`)
}

import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express'
import { type BrandedHeaders, WorkspaceName } from '../../../contract/headers.ts'
import { readJson } from '../../../kit/http/json-body.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { logsWhoAsked } from '../../../kit/http/request-log.ts'
import { type Caller, type Member, requireAdmin, requireScope } from '../domain/caller.ts'
import { Failure, workspaceClosed } from '../domain/failure.ts'
import { apiDate } from './api-date.ts'
import { isStorable } from './body-limits.ts'
import type { Guards, Operation } from './operation.ts'
import { operationTable } from './operation-table.ts'
import { runIdempotent } from './run-idempotent.ts'

const base = '/v0'

/** Authorizes before the body is read, so that validation errors reveal nothing. No chain: it costs too much. */
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
  if ('allowed' in found) return throwMethodNotAllowed(res, found.allowed)
  const { operation, pattern, params } = found
  Object.assign(req, { params, baseUrl: base, route: { path: pattern } })
  await guard(operation, guards, req, res)
  if (req.method !== 'GET' && req.method !== 'HEAD') req.body = await bodyOf(operation, req)
  const { caller, member } = res.locals as { caller: Caller; member: Member }
  const run = () =>
    'handle' in operation ? operation.handle({ member, req, res }) : operation.handleCaller({ caller, req, res })
  const body = await runIdempotent(guards, req, res, run)
  if (body !== undefined) sendJson(res, body)
}

async function guard(operation: Operation, { headers, identify, enter }: Guards, req: Request, res: Response) {
  const known = await identify(req)
  const caller = req.method === 'GET' ? known : { ...known, from: { requestId: requestIdOf(res), address: req.ip } }
  requireScope(caller, operation.scope)
  res.locals.caller = caller
  logsWhoAsked(res, { key: caller.credential })
  if (!('handle' in operation)) return
  res.locals.member = await enter(caller, workspaceOf(req, headers))
  logsWhoAsked(res, { key: caller.credential, workspace: res.locals.member.workspace })
  if (operation.adminOnly) requireAdmin(res.locals.member)
}

function workspaceOf(req: Request, headers: BrandedHeaders): string | undefined {
  const named = [req.get(headers.workspace), req.query.workspace].flat().filter((name) => name !== undefined)
  if (new Set(named).size > 1) throw new Failure('workspace_ambiguous', 'Two different workspaces are named.')
  if (named[0] === undefined) return undefined
  const name = WorkspaceName.safeParse(named[0])
  // An invalid name gets the same error as a closed workspace.
  if (!name.success) throw workspaceClosed()
  return name.data
}

const maxDocumentBytes = 256 * 1024
const maxAnyTypeBytes = 16 * 1024 * 1024

async function bodyOf({ anyContentType }: Operation, req: Request): Promise<unknown> {
  const hasBody = Number(req.headers['content-length'] ?? 0) > 0 || req.headers['transfer-encoding'] !== undefined
  if (!hasBody) return undefined
  if (!anyContentType && !isJson(req)) throw new Failure('media_type_unsupported', 'Send application/json.')
  const body = await readJson(req, anyContentType ? maxAnyTypeBytes : maxDocumentBytes)
  if (!isStorable(body))
    throw new Failure('input_invalid', 'The body is nested too deeply or contains an invalid character.')
  return body
}

const isJson = ({ headers }: Request) => /^application\/json *(;|$)/i.test(headers['content-type'] ?? '')

function sendJson(res: Response, body: unknown): void {
  const text = JSON.stringify(body)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.end(text)
}

function throwMethodNotAllowed(res: Response, allowed: readonly string[]): never {
  res.set('Allow', allowed.join(', '))
  throw new Failure('method_not_allowed', `Allowed methods: ${allowed.join(', ')}.`)
}

import type { IncomingMessage } from 'node:http'
import express, { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express'
import type { z } from 'zod'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import type { Caller, Member } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import type { Idempotency } from '../domain/idempotency.ts'
import { requireAdmin, requireScope } from '../domain/permission.ts'
import { onceOnly } from './once-only.ts'
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

/** The right to ask is settled before the body is read, so a stranger learns nothing from what we think of it. */
export function operationRoutes(operations: readonly Operation[], guards: Guards): Router {
  const router = Router()
  for (const operation of operations) {
    router[operation.method](operation.path, guard(operation, guards), bodyReader(operation), answer(operation, guards))
  }
  for (const path of new Set(operations.map(({ path }) => path))) router.all(path, refuseMethod(operations, path))
  return router
}

const guard =
  (operation: Operation, { headers, identify, enter }: Guards): RequestHandler =>
  async (req, res, next) => {
    const known = await identify(req)
    // Only changes are written down with where they came from.
    const caller = req.method === 'GET' ? known : { ...known, from: { requestId: requestIdOf(res), address: req.ip } }
    requireScope(caller, operation.scope)
    res.locals.caller = caller
    if ('answer' in operation) {
      res.locals.member = await enter(caller, workspaceOf(req, headers))
      if (operation.adminOnly) requireAdmin(res.locals.member)
    }
    next()
  }

/** Far above any document that is not an attack. */
const parseJson = express.json({ limit: '256kb', strict: true, type: 'application/json' })

const parseAnything = express.json({ limit: '16mb', strict: true, type: () => true })

const bodyReader = ({ anyContentType }: Operation) => (anyContentType ? readAnything : readBody)

const readAnything: RequestHandler = (req, res, next) => parseAnything(req, res, storing(req, next))

const readBody: RequestHandler = (req, res, next) => {
  const hasBody = Number(req.get('Content-Length') ?? 0) > 0 || req.get('Transfer-Encoding') !== undefined
  if (hasBody && !req.is('application/json')) throw new Failure('media_type_unsupported', 'Send application/json.')
  parseJson(req, res, storing(req, next))
}

const storing = (req: Request, next: NextFunction) => (error?: unknown) => {
  if (error) return next(error)
  if (!storable(req.body)) return next(new Failure('input_invalid', 'A text in the body cannot be stored.'))
  next()
}

const answer =
  (operation: Operation, { idempotency }: Guards): RequestHandler =>
  async (req, res) => {
    const { caller, member } = res.locals as { caller: Caller; member: Member }
    const run = () =>
      'answer' in operation ? operation.answer({ member, req, res }) : operation.answerCaller({ caller, req, res })
    const body = await onceOnly(idempotency, req, res, run)
    if (body !== undefined) res.json(body)
  }

function refuseMethod(operations: readonly Operation[], path: string): RequestHandler {
  const allowed = operations.filter((operation) => operation.path === path).map(({ method }) => method.toUpperCase())
  return (_req, res) => {
    res.set('Allow', allowed.join(', '))
    throw new Failure('method_not_allowed', `Allowed here: ${allowed.join(', ')}.`)
  }
}

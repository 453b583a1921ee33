import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { Caller, Member } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import { requireAdmin, requireScope } from '../domain/permission.ts'
import { credentialOf } from './credential.ts'
import { storable } from './storable.ts'
import { workspaceOf } from './workspace-of.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'

/** One thing a caller can ask for: where, with which right, and what answers it. */
export type Operation = {
  method: Method
  path: string
  scope: string
  adminOnly?: true
  summary: string
  answer(request: OperationRequest): Promise<unknown>
}

export type OperationRequest = { member: Member; req: Request; res: Response }

export type Guards = {
  headers: BrandedHeaders
  identify(credential: string): Promise<Caller>
  enter(caller: Caller, workspace: string | undefined): Promise<Member>
}

/** The right to ask is settled before the body is read, so a stranger learns nothing from what we think of it. */
export function operationRoutes(operations: readonly Operation[], guards: Guards): Router {
  const router = Router()
  for (const operation of operations) {
    router[operation.method](operation.path, guard(operation, guards), readBody, answer(operation))
  }
  for (const path of new Set(operations.map(({ path }) => path))) router.all(path, refuseMethod(operations, path))
  return router
}

const guard =
  ({ scope, adminOnly }: Operation, { headers, identify, enter }: Guards): RequestHandler =>
  async (req, res, next) => {
    const caller = await identify(credentialOf(req, headers))
    requireScope(caller, scope)
    const member = await enter(caller, workspaceOf(req, headers))
    if (adminOnly) requireAdmin(member)
    res.locals.member = member
    next()
  }

/** Far above any document that is not an attack. */
const parseJson = express.json({ limit: '256kb', strict: true, type: 'application/json' })

const readBody: RequestHandler = (req, res, next) => {
  const hasBody = Number(req.get('Content-Length') ?? 0) > 0 || req.get('Transfer-Encoding') !== undefined
  if (hasBody && !req.is('application/json')) throw new Failure('media_type_unsupported', 'Send application/json.')
  parseJson(req, res, (error?: unknown) => {
    if (error) return next(error)
    if (!storable(req.body)) return next(new Failure('input_invalid', 'A text in the body cannot be stored.'))
    next()
  })
}

const answer =
  (operation: Operation): RequestHandler =>
  async (req, res) => {
    const body = await operation.answer({ member: res.locals.member, req, res })
    if (body !== undefined) res.json(body)
  }

function refuseMethod(operations: readonly Operation[], path: string): RequestHandler {
  const allowed = operations.filter((operation) => operation.path === path).map(({ method }) => method.toUpperCase())
  return (_req, res) => {
    res.set('Allow', allowed.join(', '))
    throw new Failure('method_not_allowed', `Allowed here: ${allowed.join(', ')}.`)
  }
}

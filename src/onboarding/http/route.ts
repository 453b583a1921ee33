// An API route is data: what it takes, what it answers, and the flow it calls. Express serves it, and the OpenAPI
// document describes it, from the same object.
import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import type { Actor } from '../domain/audit/audit.ts'
import { Failure, type FailureCode } from '../domain/failure.ts'
import type { IdempotencyClaim } from '../domain/ports/shared.ts'
import type { Caller } from '../domain/tenant.ts'
import type { SharedFlows } from '../flows/shared-flows.ts'
import { apiActor, callerOf } from './guards.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export type ApiAnswer = { status: number; body?: unknown }

type Act = (claim?: IdempotencyClaim) => Promise<ApiAnswer>

/** Does the work, or gives the answer that the same request got before. */
export type AnswerIdempotently = (req: Request, res: Response, act: Act) => Promise<ApiAnswer>

export type RouteInput<P, Q, B> = {
  params: P
  query: Q
  body: B
  caller: Caller
  actor: Actor
  /** Present where the request has an Idempotency-Key: what it creates takes its id from the seed. */
  claim: IdempotencyClaim | undefined
}

export type ApiRoute = {
  method: Method
  /** In OpenAPI's form: /tenants/{tenantId} */
  path: string
  name: string
  /** A verb and a noun. */
  summary: string
  /** Why one would call it, and what happens then. */
  description: string | undefined
  tag: string
  params: z.ZodObject
  query: z.ZodObject
  body: z.ZodType | undefined
  /** The body of each good answer by its status. */
  answers: Record<number, z.ZodType | undefined>
  /** Failures that are this route's own, beside those any route may answer with. */
  failures: readonly FailureCode[]
  /** The same body as a table, for who asks with `Accept: text/csv`. */
  csv: ((body: unknown) => string) | undefined
  handle(input: RouteInput<never, never, never>): Promise<ApiAnswer>
}

type Described<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType> = {
  method: Method
  path: string
  name: string
  summary: string
  description?: string
  tag: string
  params?: P
  query?: z.ZodObject<Q>
  body?: B
  answers: Record<number, z.ZodType | undefined>
  failures?: readonly FailureCode[]
  csv?: (body: unknown) => string
  handle(input: RouteInput<z.output<z.ZodObject<P>>, z.output<z.ZodObject<Q>>, z.output<B>>): Promise<ApiAnswer>
}

/** Ties the types of what is taken to what the handler gets. */
export function route<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType>(
  described: Described<P, Q, B>,
): ApiRoute {
  const params = z.strictObject(described.params ?? {})
  const query = described.query ?? z.strictObject({})
  return {
    description: undefined,
    body: undefined,
    csv: undefined,
    failures: [],
    ...described,
    params,
    query,
    handle: described.handle as ApiRoute['handle'],
  }
}

type Edge = { answerIdempotently: AnswerIdempotently; noteRefusal: SharedFlows['noteRefusal'] }

export function serveRoutes(routes: readonly ApiRoute[], edge: Edge): Router {
  const router = Router()
  for (const each of routes) router[each.method](expressPath(each.path), serve(each, edge))
  for (const path of new Set(routes.map(({ path }) => path))) {
    const allowed = routes.filter((each) => each.path === path).map(({ method }) => method.toUpperCase())
    router.all(expressPath(path), (_req, res) => {
      res.set('Allow', allowed.join(', '))
      throw new Failure('method_not_allowed', `This address takes ${allowed.join(', ')}.`)
    })
  }
  return router
}

const serve =
  (each: ApiRoute, { answerIdempotently, noteRefusal }: Edge) =>
  async (req: Request, res: Response) => {
    const input = {
      params: each.params.parse(req.params) as never,
      query: each.query.parse(req.query) as never,
      body: (each.body ? each.body.parse(req.body ?? {}) : assertNoBody(req)) as never,
      caller: callerOf(res),
      actor: apiActor(req, res),
    }
    const act: Act = (claim) =>
      each.handle({ ...input, claim }).catch(async (error) => {
        await noteForeign(noteRefusal, input, error)
        throw error
      })
    const answer = each.method === 'post' ? await answerIdempotently(req, res, act) : await act()
    res.status(answer.status)
    if (answer.body === undefined) res.end()
    else if (each.csv && req.accepts(['json', 'csv']) === 'csv') res.type('text/csv').send(each.csv(answer.body))
    else res.json(answer.body)
  }

/** Who reaches for another tenant's thing is told that there is none; the record knows better. */
async function noteForeign(
  noteRefusal: SharedFlows['noteRefusal'],
  { caller, actor }: Pick<RouteInput<never, never, never>, 'caller' | 'actor'>,
  error: unknown,
) {
  const owner = error instanceof Failure ? error.more.owner : undefined
  if (owner === undefined) return
  await noteRefusal({
    action: 'authz.denied',
    actor,
    subject: { kind: 'tenant', id: owner },
    tenant: owner,
    facts: { keyTenantId: caller.tenant ?? '' },
  })
}

function assertNoBody(req: Request): undefined {
  if (req.body !== undefined && Object.keys(req.body).length > 0) {
    throw new Failure('input_invalid', 'This address takes no body.', {
      errors: [{ pointer: '', detail: 'is not valid: there is no body here' }],
    })
  }
}

const expressPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

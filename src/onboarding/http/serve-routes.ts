import type { Request, Response, Router } from 'express'
import { ValueUnstorable } from '../../kit/database/store-errors.ts'
import { exactRouter } from '../../kit/http/exact-routing.ts'
import { ndjsonType, sendLines } from '../../kit/http/ndjson.ts'
import { routerPath } from '../../kit/http/openapi/route-description.ts'
import { Failure } from '../domain/failure.ts'
import { noteRefusal } from '../flows/note-refusal.ts'
import { apiActor, assertPurpose, callerOf } from './guards.ts'
import { readBody, readParameters, unstorable } from './input-errors.ts'
import type { Act, AnswerIdempotently, Answering, ApiRoute, RouteInput } from './route.ts'

type Edge = Answering & { answerIdempotently: AnswerIdempotently }

export function serveRoutes(routes: readonly ApiRoute[], edge: Edge): Router {
  const router = exactRouter()
  for (const each of routes) router[each.method](routerPath(each.path), serve(each, edge))
  for (const path of new Set(routes.map(({ path }) => path))) {
    const allowed = routes.filter((each) => each.path === path).map(({ method }) => method.toUpperCase())
    router.all(routerPath(path), (_req, res) => {
      res.set('Allow', allowed.join(', '))
      throw new Failure('method_not_allowed', `This endpoint takes ${allowed.join(', ')}.`)
    })
  }
  return router
}

const serve =
  (each: ApiRoute, { answerIdempotently, ...answering }: Edge) =>
  async (req: Request, res: Response) => {
    assertPurpose(callerOf(res), each.purpose)
    const input = {
      ...answering,
      params: readParameters(each.params, req.params) as never,
      query: readParameters(each.query, req.query) as never,
      body: (each.body ? readBody(each.body, req.body ?? {}) : assertNoBody(req)) as never,
      caller: callerOf(res),
      actor: apiActor(req, res),
    }
    const noting = async (error: unknown): Promise<never> => {
      await noteForeign(input, error)
      throw error instanceof ValueUnstorable ? unstorable(input) : error
    }
    if (each.lines && req.accepts(['json', ndjsonType]) === ndjsonType) {
      return sendLines(res, await each.lines({ ...input, claim: undefined }).catch(noting))
    }
    const act: Act = (claim) => each.handle({ ...input, claim }).catch(noting)
    const answer = each.method === 'post' ? await answerIdempotently(req, res, act) : await act()
    res.status(answer.status)
    if (answer.body === undefined) res.end()
    else if (each.csv && req.accepts(['json', 'csv']) === 'csv') res.type('text/csv').send(each.csv(answer.body))
    else res.json(answer.body)
  }

/** The caller gets 404; the audit records the attempt. */
async function noteForeign(
  { ports, caller, actor }: Pick<RouteInput<never, never, never>, 'ports' | 'caller' | 'actor'>,
  error: unknown,
) {
  const owner = error instanceof Failure ? error.more.owner : undefined
  if (owner === undefined) return
  await noteRefusal(ports, {
    action: 'authz.denied',
    actor,
    subject: { kind: 'tenant', id: owner },
    tenant: owner,
    facts: { keyTenantId: caller.tenant ?? '' },
  })
}

function assertNoBody(req: Request): undefined {
  if (req.body !== undefined && Object.keys(req.body).length > 0) {
    throw new Failure('input_invalid', 'This endpoint takes no body.', {
      errors: [{ pointer: '', detail: 'must be empty' }],
    })
  }
}

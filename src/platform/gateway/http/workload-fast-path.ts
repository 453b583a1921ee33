import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { AgentQuery } from '../../../contract/gateway/requests.ts'
import { newRequestId } from '../../../kit/http/request-id.ts'
import { type AnswerLog, logAnswer } from '../../../kit/http/request-log.ts'
import { knownMethod, type RequestDurations, statusClass } from '../../../kit/http/request-metrics.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { meansWorkspace } from '../../shared/http/addressed-to.ts'
import type { Headers } from '../domain/workload.ts'
import type { GatewayAnswers } from './gateway-errors.ts'

/** A request for an agent or a model. */
export type ProxyRequest = {
  req: IncomingMessage
  res: ServerResponse
  requestId: string
  workspace: string
  name: string
  /** What follows the name, encoded as it came, with the query; our own parameter is left out. */
  path: string
  isAsync: boolean
  /** What every answer carries. */
  always: Headers
}

export type ProxyHandler = (request: ProxyRequest) => Promise<void>

type Parts = {
  agents: ProxyHandler
  models: ProxyHandler
  /** Everything else. */
  app: RequestListener
  always: Headers
  answers: GatewayAnswers
  durations: RequestDurations
  log: AnswerLog
}

/** The parameter that is meant for us and not for the workload. */
const own = 'async='

const workload = /^\/([^/?]+)\/(agents|models)\/([^/?]+)([^?]*)(?:\?(.*))?$/s

/**
 * Requests for agents and models are most of what a platform gets and are only passed on. They go around the
 * framework: its routing, and the objects it makes for each request, cost more than the passing.
 */
export function workloadFastPath({ agents, models, app, always, answers, durations, log }: Parts): RequestListener {
  const handlers = { agents, models }
  return (req, res) => {
    const found = workload.exec(req.url ?? '')
    const [, workspace = '', kind, name = '', rest = '', query = ''] = found ?? []
    if (!found || !meansWorkspace(req, workspace)) return app(req, res)
    const requestId = newRequestId()
    const startedAt = performance.now()
    let code: string | undefined
    res.once('close', () => {
      const [method, route] = [req.method ?? '', `/:workspace/${kind}/:name`]
      logAnswer(log, { requestId, method, route, startedAt, code }, res)
      durations.observe(
        { method: knownMethod(method), route, status: statusClass(res.statusCode) },
        (performance.now() - startedAt) / 1_000,
      )
    })
    const marked = { ...always, 'x-request-id': requestId }
    const serve = async () => {
      // A workload that answers it would show its caller what only the workload may see: the key of a model.
      if (req.method === 'TRACE') throw new Failure('method_not_allowed', 'Requests are not traced.')
      return handlers[kind as keyof typeof handlers]({
        req,
        res,
        requestId,
        workspace: decoded(workspace),
        name: decoded(name),
        path: rest + ownQuery(query),
        isAsync: isAsync(query),
        always: marked,
      })
    }
    serve().catch((error) => {
      code = answers.send(error, requestId, res, marked)
    })
  }
}

/** Read from the text as it came: most requests have no query, and none of ours needs decoding. */
const isAsync = (query: string): boolean =>
  query.includes(own) &&
  query.split('&').some((pair) => pair.startsWith(own) && AgentQuery.parse({ async: pair.slice(own.length) }).async)

function ownQuery(query: string): string {
  if (query === '' || !query.includes(own)) return query && `?${query}`
  const parameters = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(own))
  return parameters.length > 0 ? `?${parameters.join('&')}` : ''
}

function decoded(part: string): string {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Failure('input_invalid', 'The path is not valid.')
  }
}

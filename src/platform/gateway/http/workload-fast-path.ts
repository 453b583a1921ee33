import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { AgentQuery } from '../../../contract/gateway/requests.ts'
import { newRequestId } from '../../../kit/http/request-id.ts'
import { type AnswerLog, logAnswer } from '../../../kit/http/request-log.ts'
import { knownMethod, type RequestDurations, statusClass } from '../../../kit/http/request-metrics.ts'
import { securityHeaderValues } from '../../../kit/http/security-headers.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { meansWorkspace } from '../../shared/http/addressed-to.ts'
import type { Headers } from '../domain/workload.ts'
import type { GatewayAnswers } from './gateway-errors.ts'

export type ProxyRequest = {
  req: IncomingMessage
  res: ServerResponse
  requestId: string
  workspace: string
  name: string
  /** The rest of the path with the query, still encoded, without `async`. */
  path: string
  isAsync: boolean
  always: Headers
}

export type ProxyHandler = (request: ProxyRequest) => Promise<void>

type Parts = {
  agents: ProxyHandler
  models: ProxyHandler
  relay: ProxyHandler
  app: RequestListener
  always: Headers
  answers: GatewayAnswers
  durations: RequestDurations
  log: AnswerLog
}

const own = 'async='

const workload = /^\/([^/?]+)\/(agents|models|functions)\/([^/?]+)([^?]*)(?:\?(.*))?$/s

/** Agents, models and relayed requests bypass Express, whose routing and objects would cost more than the proxying. */
export function workloadFastPath({
  agents,
  models,
  relay,
  app,
  always,
  answers,
  durations,
  log,
}: Parts): RequestListener {
  const handlers = { agents, models, functions: relay }
  return (req, res) => {
    const found = workload.exec(req.url ?? '')
    const [, workspace = '', kind, name = '', rest = '', query = ''] = found ?? []
    const isRelayed = kind === 'functions'
    if (!found || (isRelayed && !/^\/relay(\/|$)/.test(rest)) || !meansWorkspace(req, workspace)) return app(req, res)
    const requestId = newRequestId()
    const startedAt = performance.now()
    let code: string | undefined
    res.once('close', () => {
      const [method, route] = [req.method ?? '', `/:workspace/${kind}/:name${isRelayed ? '/relay' : ''}`]
      logAnswer(log, { requestId, method, route, startedAt, code }, res)
      durations.observe(
        { method: knownMethod(method), route, status: statusClass(res.statusCode) },
        (performance.now() - startedAt) / 1_000,
      )
    })
    const marked = { ...always, 'x-request-id': requestId }
    const serve = async () => {
      // A workload that answers TRACE would show its caller the key of a model.
      if (req.method === 'TRACE') throw new Failure('method_not_allowed', 'TRACE is not supported.')
      return handlers[kind as keyof typeof handlers]({
        req,
        res,
        requestId,
        workspace: decoded(workspace),
        name: decoded(name),
        path: rest + (isRelayed ? query && `?${query}` : ownQuery(query)),
        isAsync: !isRelayed && isAsync(query),
        always: marked,
      })
    }
    serve().catch((error) => {
      code = answers.send(error, requestId, res, marked)
    })
  }
}

/** Reads the raw query: most requests have no query, and `async` needs no decoding. */
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

/** Lower case, because workloads may send the same headers in any case. */
export const alwaysSent = ({ isSecure }: { isSecure: boolean }) =>
  Object.fromEntries([...securityHeaderValues({ https: isSecure })].map(([name, value]) => [name.toLowerCase(), value]))

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { newRequestId } from '../../../kit/http/request-id.ts'
import { logAnswer } from '../../../kit/http/request-log.ts'
import type { Log } from '../../../kit/log.ts'
import { Failure } from '../../shared/domain/failure.ts'
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
  log: Log
}

const workload = /^\/([^/?]+)\/(agents|models)\/([^/?]+)([^?]*)(?:\?(.*))?$/s

/**
 * Requests for agents and models are most of what a platform gets and are only passed on. They go around the
 * framework: its routing, and the objects it makes for each request, cost more than the passing.
 */
export function proxyDoor({ agents, models, app, always, answers, log }: Parts): RequestListener {
  const handlers = { agents, models }
  return (req, res) => {
    const found = workload.exec(req.url ?? '')
    const isOurs = found && found[1] !== 'v0' && !req.headers.host?.startsWith('sbx-')
    if (!isOurs) return app(req, res)
    const [, workspace = '', kind, name = '', rest = '', query = ''] = found
    const requestId = newRequestId()
    const startedAt = performance.now()
    let code: string | undefined
    res.once('close', () => {
      logAnswer(log, { requestId, method: req.method ?? '', route: `/:workspace/${kind}/:name`, startedAt, code }, res)
    })
    const own = { ...always, 'x-request-id': requestId }
    const serve = async () =>
      handlers[kind as keyof typeof handlers]({
        req,
        res,
        requestId,
        workspace: decoded(workspace),
        name: decoded(name),
        path: rest + ownQuery(query),
        isAsync: /(^|&)async=true(&|$)/.test(query),
        always: own,
      })
    serve().catch((error) => {
      code = answers.send(error, requestId, res, own)
    })
  }
}

function ownQuery(query: string): string {
  if (query === '' || !query.includes('async=')) return query && `?${query}`
  const parameters = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('async='))
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

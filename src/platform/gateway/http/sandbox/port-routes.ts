import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { BrandedHeaders } from '../../../../contract/headers.ts'
import { tunnelHead } from '../../../../kit/streams/web-sockets.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { isSandboxHost } from '../../../shared/http/addressed-to.ts'
import { openLimit } from '../../domain/sandbox/open-limit.ts'
import { noPorts, type SandboxPorts } from '../../domain/sandbox/sandbox.ts'
import type { Headers, Workload, WorkloadAnswer } from '../../domain/workload.ts'
import type { MeteredRun } from '../../flows/meter-run.ts'
import { proxyHeaders } from '../proxy-headers.ts'
import { streamedBody } from '../request-body.ts'
import { sendAnswer, whileConnected } from '../send-answer.ts'
import type { Entered } from './process-routes.ts'
import { openTunnel } from './tunnel.ts'
import { untilClosed } from './until-closed.ts'

type Parts = {
  ports: SandboxPorts
  headers: BrandedHeaders
  /** Of a WebSocket. */
  maxIdleMs: number
  open(req: Request, scope: string): Promise<Entered>
  meter(workspace: string, sandbox: Workload, res: Response): MeteredRun
  meterLong(workspace: string, sandbox: Workload, res: Response): { end(): void }
}

const place = /^\/[^/?]+\/sandboxes\/[^/?]+\/port\/([1-9]\d{0,4})((?:[/?].*)?)$/s

/** Of a sandbox. Each is up to four processes in the container. */
const maxTunnels = 8

const handshake = { connection: 'Upgrade', upgrade: 'websocket' }

/** `/port/{port}/{path}` of a sandbox, with any method, and for WebSockets. */
export function portRoutes({ ports, headers, maxIdleMs, open, meter, meterLong }: Parts): Router {
  const passing = proxyHeaders(headers)
  const takeTunnel = openLimit(maxTunnels, 'WebSockets of this sandbox are open')
  const serve: RequestHandler = async (req, res) => {
    const { port, path } = placeOf(req)
    const entered = await open(req, 'sandboxes:control')
    const { workspace, opened } = entered
    if (!opened.kept) throw noPorts()
    const asked = { path, headers: passing.forwarded(req.headers), signal: whileConnected(res) }
    const head = tunnelHead(req)
    if (head) {
      untilClosed(res, takeTunnel(opened.sandbox.id))
      untilClosed(res, meterLong(workspace, opened.sandbox, res).end)
      Object.assign(asked.headers, handshake)
      const answer = await ports.shakeHands(opened.kept, port, asked)
      if ('status' in answer) return send(req, res, answer)
      res.writeHead(101, { ...passing.answered(answer.headers, ownHeaders(res)), ...handshake }).flushHeaders()
      return openTunnel(req.socket, answer.tunnel, head, { ...entered, maxIdleMs })
    }
    meter(workspace, opened.sandbox, res)
    const body = streamedBody(req)
    send(req, res, await ports.serve(opened.kept, port)({ ...asked, method: req.method, body }))
  }
  const send = (req: Request, res: Response, answer: WorkloadAnswer) => {
    const answered = passing.answered(answer.headers, ownHeaders(res))
    if (isSandboxHost(req)) letPagesRun(res, answered, answer.headers)
    sendAnswer(res, answer, answered)
  }
  return Router().all(['/:workspace/sandboxes/:name/port/:port', '/:workspace/sandboxes/:name/port/:port/*path'], serve)
}

function placeOf({ method, url }: Request) {
  if (method === 'TRACE') throw new Failure('method_not_allowed', 'TRACE is not supported.')
  const [, port, path = ''] = place.exec(url) ?? []
  if (port === undefined || Number(port) > 65_535) throw new Failure('input_invalid', 'The port is not valid.')
  return { port: Number(port), path }
}

const ownHeaders = (res: Response) => res.getHeaders() as Headers

/** Pages on a separate host share no origin, so they keep their own policy. */
function letPagesRun(res: Response, answered: Headers, { 'content-security-policy': own }: Headers): void {
  res.removeHeader('content-security-policy')
  delete answered['content-security-policy']
  if (own !== undefined) answered['content-security-policy'] = own
}

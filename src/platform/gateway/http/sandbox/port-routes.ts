import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { BrandedHeaders } from '../../../../contract/headers.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { isSandboxHost } from '../../../shared/http/addressed-to.ts'
import { noPorts, type SandboxPorts } from '../../domain/sandbox/sandbox.ts'
import type { Headers, Workload } from '../../domain/workload.ts'
import type { MeteredRun } from '../../flows/meter-run.ts'
import { proxyHeaders } from '../proxy-headers.ts'
import { streamedBody } from '../request-body.ts'
import { sendAnswer, whileConnected } from '../send-answer.ts'
import type { Entered } from './process-routes.ts'

type Parts = {
  ports: SandboxPorts
  headers: BrandedHeaders
  open(req: Request, scope: string): Promise<Entered>
  meter(workspace: string, sandbox: Workload, res: Response): MeteredRun
}

const place = /^\/[^/?]+\/sandboxes\/[^/?]+\/port\/([1-9]\d{0,4})((?:[/?].*)?)$/s

/** `/port/{port}/{path}` of a sandbox, with any method. */
export function portRoutes({ ports, headers, open, meter }: Parts): Router {
  const passing = proxyHeaders(headers)
  const serve: RequestHandler = async (req, res) => {
    if (req.method === 'TRACE') throw new Failure('method_not_allowed', 'TRACE is not supported.')
    const [, port, path = ''] = place.exec(req.url) ?? []
    if (port === undefined || Number(port) > 65_535) throw new Failure('input_invalid', 'The port is not valid.')
    const { workspace, opened } = await open(req, 'sandboxes:control')
    if (!opened.kept) throw noPorts()
    meter(workspace, opened.sandbox, res)
    const answer = await ports.serve(
      opened.kept,
      Number(port),
    )({
      method: req.method,
      path,
      headers: passing.forwarded(req.headers),
      body: streamedBody(req),
      signal: whileConnected(res),
    })
    const answered = passing.answered(answer.headers, res.getHeaders() as Headers)
    if (isSandboxHost(req)) letPagesRun(res, answered, answer.headers)
    sendAnswer(res, answer, answered)
  }
  return Router().all(['/:workspace/sandboxes/:name/port/:port', '/:workspace/sandboxes/:name/port/:port/*path'], serve)
}

/** Pages on a separate host share no origin, so they keep their own policy. */
function letPagesRun(res: Response, answered: Headers, { 'content-security-policy': own }: Headers): void {
  res.removeHeader('content-security-policy')
  delete answered['content-security-policy']
  if (own !== undefined) answered['content-security-policy'] = own
}

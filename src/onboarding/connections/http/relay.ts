// Requests of tenants to the API of a linked account. Bodies are streamed, so these routes read no JSON.

import type { Request, RequestHandler, Response } from 'express'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { sendStream } from '../../../kit/streams/send-stream.ts'
import { missing } from '../../domain/failure.ts'
import type { Deps } from '../../domain/ports/ports.ts'
import { sightOf } from '../../domain/tenant.ts'
import { callerOf } from '../../http/guards.ts'
import { relayToAccount } from '../flows/app-api/relay-to-account.ts'

export const relayedRequests = ({ ports, settings, authenticate }: Deps & { authenticate: RequestHandler }) =>
  exactRouter().all('/api/v1/connections/:connectionId/relay/*path', authenticate, async (req, res) => {
    const connectionId = String(req.params.connectionId)
    // Still encoded, with the query.
    const [, path] = /^\/api\/v1\/connections\/[^/]+\/relay\/(.+)$/s.exec(req.originalUrl) ?? []
    if (path === undefined) throw missing('connection')
    const answer = await relayToAccount(ports, {
      ...sightOf(callerOf(res)),
      connectionId,
      path,
      method: req.method,
      headers: req.headers,
      body: hasBody(req) ? req : null,
      signal: whileConnected(res),
      relay: `${settings.publicUrl}/api/v1/connections/${connectionId}/relay`,
    })
    // RFC 9209: this is the response of the app, and not of a proxy on the way.
    res.status(answer.status).set('Proxy-Status', `causeway; received-status=${answer.status}`)
    for (const [name, value] of Object.entries(answer.headers)) if (!res.hasHeader(name)) res.setHeader(name, value)
    sendStream(res, answer.body)
  })

const relayPath = /^\/api\/v1\/connections\/[^/?]+\/relay\//

/** Path and body belong to the app. */
export const isRelayed = ({ url = '' }: { url?: string | undefined }): boolean => relayPath.test(url)

/** Relayed bodies may be large and slow. The platform has the same limits. */
export const bodyDeadlines = {
  bodyMs: (path: string): number => (relayPath.test(path) ? 900_000 : 30_000),
  silentMs: (path: string): number => (relayPath.test(path) ? 100_000 : 30_000),
}

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function whileConnected(res: Response): AbortSignal {
  const gone = new AbortController()
  res.once('close', () => res.writableFinished || gone.abort())
  return gone.signal
}

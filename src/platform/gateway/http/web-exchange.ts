// Converts between Node's HTTP and the web's Request and Response, which the MCP library uses.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Credentials are not passed to the library. */
const isOfTransport = (name: string) =>
  name.startsWith('mcp-') || name === 'accept' || name === 'content-type' || name === 'last-event-id'

export function webRequest(req: IncomingMessage, signal?: AbortSignal): Request {
  const headers = Object.entries(req.headers).flatMap(([name, value]): [string, string][] =>
    isOfTransport(name) && value !== undefined ? [[name, String(value)]] : [],
  )
  return new Request('http://mcp.invalid/', { method: req.method ?? 'POST', headers, ...(signal && { signal }) })
}

export function webHead({ method = 'POST', headers }: IncomingMessage): Request {
  const get = (name: string) => headers[name.toLowerCase()]?.toString() ?? null
  return { method, headers: { get } } as unknown as Request
}

export async function sendWebResponse(answer: Response, res: ServerResponse): Promise<void> {
  if (res.headersSent || res.destroyed) return void (await answer.body?.cancel())
  res.statusCode = answer.status
  for (const [name, value] of answer.headers) res.setHeader(name, value)
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    res.end(Buffer.from(await answer.arrayBuffer()))
    return
  }
  res.flushHeaders()
  const reader = answer.body?.getReader()
  res.once('close', () => void reader?.cancel().catch(() => undefined))
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    // The response was ended by a timeout or a revocation.
    if (res.writableEnded) return void reader?.cancel().catch(() => undefined)
    if (!res.write(piece.value)) await drained(res)
  }
  res.end()
}

export const drained = (res: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })

// The protocol's library speaks the web's Request and Response; our server speaks Node's.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The library is given what the transport is about, and no credential. */
const isOfTransport = (name: string) =>
  name.startsWith('mcp-') || name === 'accept' || name === 'content-type' || name === 'last-event-id'

/** Its body has been read already; nothing looks at its address. */
export function webRequest(req: IncomingMessage, signal?: AbortSignal): Request {
  const headers = Object.entries(req.headers).flatMap(([name, value]): [string, string][] =>
    isOfTransport(name) && value !== undefined ? [[name, String(value)]] : [],
  )
  return new Request('http://mcp.invalid/', { method: req.method ?? 'POST', headers, ...(signal && { signal }) })
}

/** What the library looks at to tell which age a request is of. */
export function webHead({ method = 'POST', headers }: IncomingMessage): Request {
  const get = (name: string) => headers[name.toLowerCase()]?.toString() ?? null
  return { method, headers: { get } } as unknown as Request
}

/** Passes an answer on as it comes. A client that leaves ends the reading, which is all that the library is told. */
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
    // Its time may be over, or its credential: then it was ended by somebody else.
    if (res.writableEnded) return void reader?.cancel().catch(() => undefined)
    if (!res.write(piece.value)) await drained(res)
  }
  res.end()
}

/** Or closed. */
export const drained = (res: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })

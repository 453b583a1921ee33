import type { Response } from 'express'

const keepAliveMs = 15_000

export type EventStream = {
  readonly closed: boolean
  send(id: string, message: unknown): void
  end(): void
}

/** Server-sent events to one client, with a comment now and then so that nothing on the way takes it for dead. */
export function openEventStream(res: Response): EventStream {
  res.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  })
  res.flushHeaders()
  const keepAlive = setInterval(() => res.write(': still here\n\n'), keepAliveMs)
  res.once('close', () => clearInterval(keepAlive))
  return {
    get closed() {
      return res.closed || res.writableEnded
    },
    send: (id, message) => void res.write(`event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`),
    end: () => void res.end(),
  }
}

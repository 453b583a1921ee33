import type { Response } from 'express'
import { Failure, type FailureCode } from '../../../shared/domain/failure.ts'
import { drained } from '../web-exchange.ts'

const keepAliveMs = 15_000

export type EventStream = {
  readonly closed: boolean
  send(id: string, message: string): Promise<void>
  /** Not stored, so it has no ID to resume from. */
  tell(message: object): void
  end(): void
}

export function openEventStream(res: Response): EventStream {
  res.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  })
  res.flushHeaders()
  // With a slow reader a response ends before it closes; writing then would throw.
  const write = (text: string) => res.writableEnded || res.write(text)
  const keepAlive = setInterval(() => write(': still here\n\n'), keepAliveMs)
  res.once('close', () => clearInterval(keepAlive))
  return {
    get closed() {
      return res.closed || res.writableEnded
    },
    async send(id, message) {
      if (!write(`event: message\nid: ${id}\ndata: ${message}\n\n`)) await drained(res)
    },
    tell: (message) => void write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    end: () => {
      clearInterval(keepAlive)
      res.end()
    },
  }
}

/** With the 3 s credential cache, a stream ends within 6 s of the revocation in any process. */
const lookMs = 3_000

export type EnterAgain = () => Promise<unknown>

type Ending = { once(event: 'close', act: () => void): unknown; end(): unknown }

/** A stream outlives its request by minutes, so access is checked again while it is open. */
export function endWhenRevoked(res: Ending, enterAgain: EnterAgain): void {
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    await enterAgain().catch((error) => {
      if (error instanceof Failure && refusals.has(error.code)) res.end()
    })
    isLooking = false
  }
  const looking = setInterval(look, lookMs)
  looking.unref()
  res.once('close', () => clearInterval(looking))
}

/** Other errors, such as an unavailable store, don't end the stream. */
const refusals: ReadonlySet<FailureCode> = new Set([
  'credential_missing',
  'credential_invalid',
  'scope_missing',
  'role_missing',
  'workspace_closed',
  'workspace_unnamed',
  'resource_unknown',
  'route_unknown', // A preview was removed, or has expired.
  'workload_unavailable',
] as const)

import type { Response } from 'express'
import { Failure, type FailureCode } from '../../../shared/domain/failure.ts'
import { drained } from '../web-exchange.ts'

const keepAliveMs = 15_000

export type EventStream = {
  readonly closed: boolean
  /** A message as JSON. Returns when there is room for the next one, or nobody is there any more. */
  send(id: string, message: string): Promise<void>
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
  // An answer may be over long before it is closed, where its reader is slow; nothing may be written to it then.
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
    end: () => {
      clearInterval(keepAlive)
      res.end()
    },
  }
}

/** With the three seconds for which a credential is remembered, a stream ends within six, in whichever process it is. */
const lookMs = 3_000

/** Rejects when whoever opened the stream would not be let in any more. */
export type EnterAgain = () => Promise<unknown>

/** A stream outlives the request that opened it by minutes, so what let it in is looked at again while it is open. */
export function endWhenRevoked(res: Response, enterAgain: EnterAgain): void {
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

/** Anything else, such as a store that does not answer, says nothing about who may listen. */
const refusals: ReadonlySet<FailureCode> = new Set([
  'credential_missing',
  'credential_invalid',
  'scope_missing',
  'role_missing',
  'workspace_closed',
  'workspace_unnamed',
  'resource_unknown',
  'workload_unavailable',
] as const)

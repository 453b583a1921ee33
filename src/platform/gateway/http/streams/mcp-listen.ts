import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import { pollPauseMs } from '../../../../kit/process/backoff.ts'
import type { McpEvents } from '../../domain/mcp.ts'
import { badRequest, sendRpcError } from '../mcp-messages.ts'
import type { Completions } from './completions.ts'
import { type EventStream, openEventStream } from './sse.ts'

type Needs = { mcpEvents: McpEvents; completions: Completions; maxMs: number }

export async function answerGet(
  { mcpEvents: events, completions, maxMs }: Needs,
  session: string,
  req: Request,
  res: Response,
) {
  const version = req.get('MCP-Protocol-Version')
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    return sendRpcError(
      res,
      400,
      badRequest,
      `Unsupported protocol version (supported: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')})`,
    )
  }
  if (!req.accepts('text/event-stream'))
    return sendRpcError(res, 406, badRequest, 'Accept must include text/event-stream.')
  const lastSeen = req.get('Last-Event-ID')
  if (lastSeen === undefined) return stayOpen(completions.tellTo(session, openEventStream(res), res), res, maxMs)
  const [, stream = '', seq = ''] = /^([0-9a-f-]{36})\.([0-9]{1,9})$/.exec(lastSeen) ?? []
  const missed = await events.after(session, stream, Number(seq))
  if (!missed) return sendRpcError(res, 400, badRequest, 'Unknown event ID for this session.')
  await readOn(events, { session, stream, seq: Number(seq) }, openEventStream(res), maxMs)
}

/** Only completed elicitations are sent here. */
function stayOpen(sse: EventStream, res: Response, maxMs: number) {
  const limit = setTimeout(() => sse.end(), maxMs)
  limit.unref()
  res.once('close', () => clearTimeout(limit))
}

type Position = { session: string; stream: string; seq: number }

async function readOn(events: McpEvents, from: Position, sse: EventStream, maxMs: number) {
  const deadline = performance.now() + maxMs
  let saidAt = performance.now()
  for (let { seq } = from; !sse.closed && performance.now() < deadline; ) {
    const missed = await events.after(from.session, from.stream, seq).catch(() => undefined)
    for (const event of missed?.events ?? []) {
      // Waits for slow readers; the rest stays in the store.
      await sse.send(`${from.stream}.${event.seq}`, event.message)
      seq = event.seq
      saidAt = performance.now()
    }
    if (missed?.isOver) break
    if (!missed || missed.events.length === 0) await pause(performance.now() - saidAt)
  }
  sse.end()
}

const pause = (silentMs: number) => new Promise((resolve) => setTimeout(resolve, pollPauseMs(silentMs)))

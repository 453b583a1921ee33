import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import type { McpEvents } from '../../domain/mcp.ts'
import { badRequest, sendRpcError } from '../mcp-messages.ts'
import { type EventStream, openEventStream } from './sse.ts'

const askAgainMs = { first: 200, most: 2_000 }

type Needs = { mcpEvents: McpEvents; longestMs: number }

/** Answers one GET inside a session: the rest of an answer that was cut off, or a stream of what may come up. */
export async function answerGet({ mcpEvents: events, longestMs }: Needs, session: string, req: Request, res: Response) {
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
    return sendRpcError(res, 406, badRequest, 'Accept must name text/event-stream.')
  const lastSeen = req.get('Last-Event-ID')
  if (lastSeen === undefined) return stayOpen(openEventStream(res), res, longestMs)
  const [, stream = '', seq = ''] = /^([0-9a-f-]{36})\.([0-9]{1,9})$/.exec(lastSeen) ?? []
  const missed = await events.after(session, stream, Number(seq))
  if (!missed) return sendRpcError(res, 400, badRequest, 'There is no such event in this session.')
  await readOn(events, { session, stream, seq: Number(seq) }, openEventStream(res), longestMs)
}

/** Servers here have nothing to say unasked, so the stream is silent; the protocol's clients like to have it. */
function stayOpen(sse: EventStream, res: Response, longestMs: number) {
  const limit = setTimeout(() => sse.end(), longestMs)
  limit.unref()
  res.once('close', () => clearTimeout(limit))
}

type Position = { session: string; stream: string; seq: number }

async function readOn(events: McpEvents, from: Position, sse: EventStream, longestMs: number) {
  const deadline = performance.now() + longestMs
  let saidAt = performance.now()
  for (let { seq } = from; !sse.closed && performance.now() < deadline; ) {
    const missed = await events.after(from.session, from.stream, seq).catch(() => undefined)
    for (const event of missed?.events ?? []) {
      // Whoever reads slowly is read for slowly: the rest stays in the store.
      await sse.send(`${from.stream}.${event.seq}`, event.message)
      seq = event.seq
      saidAt = performance.now()
    }
    if (missed?.isOver) break
    if (!missed || missed.events.length === 0) await pause(performance.now() - saidAt)
  }
  sse.end()
}

/** A tenth of how long there was nothing: what has been silent for long may be so for longer. */
const pause = (silentMs: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(askAgainMs.first, silentMs / 10), askAgainMs.most)))

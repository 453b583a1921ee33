// Tells clients with a session that a URL which they opened for their user has served its purpose (MCP 2025-11-25).
import type { Response } from 'express'
import type { Elicitations } from '../../domain/repair.ts'
import type { EventStream } from './sse.ts'

export type Completions = {
  tellTo(session: string, stream: EventStream, res: Response): EventStream
  /** To be called every second. */
  tellAll(): Promise<void>
}

export function completions(stores: ReadonlyArray<Pick<Elicitations, 'takeComplete'>>): Completions {
  const open = new Map<string, Set<EventStream>>()
  return {
    tellTo(session, stream, res) {
      const streams = open.get(session) ?? new Set()
      open.set(session, streams.add(stream))
      res.once('close', () => {
        streams.delete(stream)
        if (streams.size === 0) open.delete(session)
      })
      return stream
    },
    async tellAll() {
      if (open.size === 0) return
      const sessions = [...open.keys()]
      const completed = await Promise.all(stores.map((store) => store.takeComplete(sessions)))
      for (const { id: elicitationId, session } of completed.flat()) {
        // One stream only: a message is never sent on several (MCP, transports).
        const [stream] = open.get(session) ?? []
        stream?.tell({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } })
      }
    },
  }
}

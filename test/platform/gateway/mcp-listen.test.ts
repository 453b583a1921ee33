import { EventEmitter } from 'node:events'
import type { Request, Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { McpEvents } from '../../../src/platform/gateway/domain/mcp.ts'
import { completions } from '../../../src/platform/gateway/http/streams/completions.ts'
import { answerGet } from '../../../src/platform/gateway/http/streams/mcp-listen.ts'

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
)
afterEach(() => void vi.useRealTimers())

const stream = '00000000-0000-4000-8000-000000000000'

const noCompletions = completions([{ takeComplete: async () => [] }])

function reading(events: Pick<McpEvents, 'after'>) {
  const headers: Record<string, string> = { 'Last-Event-ID': `${stream}.0` }
  const req = { get: (name: string) => headers[name], accepts: () => true } as unknown as Request
  const sent: string[] = []
  const res = Object.assign(new EventEmitter(), {
    closed: false,
    writableEnded: false,
    writeHead: () => undefined,
    flushHeaders: () => undefined,
    write: (text: string): boolean => sent.push(text) > 0,
    end() {
      res.writableEnded = true
    },
  })
  const done = answerGet(
    { mcpEvents: events as McpEvents, completions: noCompletions, maxMs: 60_000 },
    'session',
    req,
    res as unknown as Response,
  )
  return { done, sent, res }
}

test('X11: polls a silent stream less and less often', async () => {
  let asked = 0
  const { done } = reading({
    after: async () => {
      asked++
      return { events: [], isOver: false }
    },
  })

  await vi.advanceTimersByTimeAsync(65_000)
  await done

  expect(asked).toBeGreaterThan(20)
  expect(asked).toBeLessThan(80)
})

test('X14: sends no keep-alive after the end of a response with a slow reader', async () => {
  const { done, sent } = reading({ after: async () => ({ events: [], isOver: true }) })
  await vi.advanceTimersByTimeAsync(1_000)
  await done

  await vi.advanceTimersByTimeAsync(60_000)

  expect(sent).toEqual([])
})

test('Y4: reads more from the store only when the client reads', async () => {
  let asked = 0
  const { done, res, sent } = reading({
    after: async (_session, _stream, seq) => {
      asked++
      return { events: [{ seq: seq + 1, message: '{}', last: seq === 9 }], isOver: seq === 9 }
    },
  })
  res.write = (text: string) => {
    sent.push(text)
    return false
  }

  await vi.advanceTimersByTimeAsync(30_000)
  const before = sent.filter((text) => text.includes('data:')).length
  for (let at = 0; at < 10; at++) {
    res.emit('drain')
    await vi.advanceTimersByTimeAsync(1)
  }
  await done

  expect(before).toBe(1)
  expect(sent.filter((text) => text.includes('data:'))).toHaveLength(10)
  expect(asked).toBe(11)
})

test('forwards events after a silence and ends with the last one', async () => {
  const startedAt = performance.now()
  const { done, sent, res } = reading({
    after: async () =>
      performance.now() - startedAt > 10_000
        ? { events: [{ seq: 1, message: '{"done":true}', last: true }], isOver: true }
        : { events: [], isOver: false },
  })

  await vi.advanceTimersByTimeAsync(13_000)
  await done

  expect(sent.join('')).toContain('{"done":true}')
  expect(res.writableEnded).toBe(true)
})

// Events of vendors' servers, whatever pieces their bytes come in.
import { expect, test } from 'vitest'
import { eventReader } from '../../../src/platform/gateway/adapters/vendor-mcp/event-stream.ts'

function read(text: string, pieceBytes: number) {
  const events: unknown[] = []
  const retries: number[] = []
  const take = eventReader({ onEvent: (event) => void events.push(event), onRetry: (ms) => void retries.push(ms) })
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceBytes) take(bytes.subarray(at, at + pieceBytes))
  return { events, retries }
}

const event = (data: string, id?: string, name = '') => ({ name, data, id })

const streams: [what: string, text: string, events: unknown[]][] = [
  ['one event', 'data: {"a":1}\n\n', [event('{"a":1}')]],
  ['lines that end in other ways', 'data: a\r\ndata: b\r\n\r\ndata: c\r\r', [event('a\nb'), event('c')]],
  ['a name and an id', 'event: message\nid: 7\ndata: a\n\ndata: b\n\n', [event('a', '7', 'message'), event('b')]],
  ['an id alone', 'id: 7\ndata:\n\nid: 8\n\n', [event('', '7'), event('', '8')]],
  ['comments and fields that nobody knows', ': hello\nother: x\ndata\ndata:a\n\n', [event('\na')]],
  ['letters of several bytes', 'data: Grüße, 世界\n\n', [event('Grüße, 世界')]],
  ['an event whose end has not come', 'data: a\n\ndata: b\n', [event('a')]],
]

test.each(streams.flatMap(([what, text, events]) => [1, 2, 3, 1_000].map((size) => ({ what, text, events, size }))))(
  '$what, in pieces of $size bytes',
  ({ text, events, size }) => {
    expect(read(text, size).events).toEqual(events)
  },
)

test('a pause before asking again is told, if it is one', () => {
  expect(read('retry: 250\n\nretry: soon\n\n', 3).retries).toEqual([250])
})

// Events of vendors' servers, whatever pieces their bytes come in.
import type { Dispatcher } from 'undici'
import { expect, test } from 'vitest'
import type { GuardedDispatchers } from '../../../src/kit/fetch/guarded-fetch.ts'
import { directPost } from '../../../src/platform/gateway/adapters/vendor-mcp/direct-post.ts'

/** Answers every request with this stream, cut into pieces. */
function streaming(text: string, pieceBytes: number): GuardedDispatchers {
  const bytes = Buffer.from(text)
  const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController
  const dispatch = (_: unknown, handler: Required<Dispatcher.DispatchHandler>) => {
    handler.onRequestStart(controller, {})
    handler.onResponseStart(controller, 200, { 'content-type': 'text/event-stream' }, 'OK')
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      handler.onResponseData(controller, bytes.subarray(at, at + pieceBytes))
    }
    handler.onResponseEnd(controller, {})
    return true
  }
  return { for: () => ({ dispatch }) } as unknown as GuardedDispatchers
}

async function read(text: string, pieceBytes: number) {
  const data: string[] = []
  const message = { headers: {}, body: '{}', onData: (each: string) => void data.push(each) }
  const { stream } = await directPost(streaming(text, pieceBytes))(new URL('https://vendor.example'), message).answer
  return { data, stream }
}

const streams: [what: string, text: string, data: string[], lastEventId?: string][] = [
  ['one event', 'data: {"a":1}\n\n', ['{"a":1}']],
  ['lines that end in other ways', 'data: a\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n', ['a\nb', 'c', 'd']],
  ['a name and an id', 'event: message\nid: 7\ndata: a\n\ndata: b\n\n', ['a', 'b'], '7'],
  ['an event of another name', 'event: ping\ndata: a\n\ndata: b\n\n', ['b']],
  ['an id without a message', 'id: 7\ndata:\n\n', [], '7'],
  ['comments and unknown fields', ': hello\nother: x\ndata:a\n\n', ['a']],
  ['letters of several bytes', 'data: Grüße, 世界\n\n', ['Grüße, 世界']],
  ['an event whose end has not come', 'data: a\n\ndata: b\n', ['a']],
]

test.each(
  streams.flatMap(([what, text, data, id]) => [1, 2, 3, 1_000].map((size) => ({ what, text, data, id, size }))),
)('$what, in pieces of $size bytes', async ({ text, data, id, size }) => {
  const found = await read(text, size)

  expect(found.data).toEqual(data)
  expect(found.stream?.lastEventId).toBe(id)
})

test.each([
  ['250', 250],
  ['soon', undefined],
  ['99999999999999999999', undefined],
])('a pause of %s before asking again is kept as %s', async (pause, ms) => {
  const { stream } = await read(`retry: ${pause}\n\n`, 3)

  expect(stream?.retryMs).toBe(ms)
})

test.each([
  ['\r', 1],
  ['\r', 7],
  ['\r\n', 3],
  ['\n', 1_000],
])('a thousand lines of other fields, ended by %j, in pieces of %i bytes, are passed over', async (end, size) => {
  const { data } = await read(`${`other: x${end}`.repeat(1_000)}data: a${end}${end}data: b\n\n`, size)

  expect(data).toEqual(['a', 'b'])
})

import { expect, onTestFinished, test } from 'vitest'
import { exactApp } from '../../src/kit/http/exact-routing.ts'
import { listen } from '../../src/kit/http/http-server.ts'
import { type JoinsTrace, tracedListener } from '../../src/kit/http/traced-listener.ts'
import { noTracing, type SpanAttributes, type Tracing } from '../../src/kit/tracing/tracing.ts'

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

function app() {
  const made = exactApp([])
  made.get('/links/:id', (_req, res) => void res.sendStatus(204))
  return made
}

type TestSpan = { parent: string | undefined; attributes: SpanAttributes }

const recording = (spans: TestSpan[]): Tracing => ({
  ...noTracing,
  async span(_name, { parent, attributes }, work) {
    const span = { parent, attributes: { ...attributes } }
    const result = await work({ isRecording: true, set: (more) => void Object.assign(span.attributes, more) })
    spans.push(span)
    return result
  },
})

async function answered(joins?: JoinsTrace) {
  const spans: TestSpan[] = []
  const server = await listen(tracedListener(app(), recording(spans), { joins }), { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close(0))
  await fetch(`http://127.0.0.1:${server.port}/links/lnk_1?code=hunter2`, { headers: { traceparent: parent } })
  await expect.poll(() => spans.length).toBe(1)
  return spans[0]
}

test('a request becomes a span with its route, never its URL, in the trace of its sender', async () => {
  const span = await answered(async () => true)

  expect(span).toMatchObject({
    parent,
    attributes: { 'http.request.method': 'GET', 'http.route': '/links/:id', 'http.response.status_code': 204 },
  })
  expect(JSON.stringify(span)).not.toContain('hunter2')
})

test('untrusted senders do not choose the trace', async () => {
  const failing = async () => {
    throw new Error('no credential')
  }

  expect((await answered())?.parent).toBeUndefined()
  expect((await answered(async () => false))?.parent).toBeUndefined()
  expect((await answered(failing))?.parent).toBeUndefined()
})

test('without tracing returns the app itself', () => {
  const plain = app()

  expect(tracedListener(plain, noTracing, { joins: async () => true })).toBe(plain)
})

import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { expect, test } from 'vitest'
import { openTelemetry } from '../../src/kit/tracing/open-telemetry.ts'
import { nestedSpans, noTracing } from '../../src/kit/tracing/tracing.ts'
import { otlpHeaders } from '../../src/kit/tracing/tracing-settings.ts'

function recorded({ ratio = 1 } = {}) {
  const spans: ReadableSpan[] = []
  const exporter = {
    export(more: ReadableSpan[], done: (result: { code: number }) => void) {
      spans.push(...more)
      done({ code: 0 })
    },
    shutdown: async () => {},
  }
  const tracing = openTelemetry('test', { endpoint: 'http://collector.example', headers: {}, ratio }, exporter)
  return {
    tracing,
    async ended() {
      await tracing.close()
      return spans
    },
  }
}

test('a trace is continued anywhere by its traceparent', async () => {
  const { tracing, ended } = recorded()

  const traceparent = tracing.begin('link', { 'link.id': 'lnk_1' })
  await tracing.span('link.move', { parent: traceparent, attributes: { 'state.to': 'linked' } }, async () => {})

  const [link, move] = await ended()
  expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  expect(move?.spanContext().traceId).toBe(link?.spanContext().traceId)
  expect(move?.parentSpanContext?.spanId).toBe(link?.spanContext().spanId)
  expect(move?.attributes).toEqual({ 'state.to': 'linked' })
})

test('a span has the traceparent of its children', async () => {
  const { tracing, ended } = recorded()

  const passedOn = await tracing.span('link.provision', {}, ({ traceparent: parent }) =>
    tracing.span('call.platform', { kind: 'client', parent }, async ({ traceparent }) => traceparent),
  )

  const [call, provision] = await ended()
  expect(call?.parentSpanContext?.spanId).toBe(provision?.spanContext().spanId)
  expect(passedOn).toContain(call?.spanContext().spanId)
})

test('nested spans have the current span as parent', async () => {
  const { tracing, ended } = recorded()
  const nested = nestedSpans(tracing)
  const call = () => nested.span('call.third_party', {}, async () => {})

  await nested.span('http.request', {}, async () => {
    await new Promise(setImmediate)
    await call()
  })
  await call()

  const [inner, request, beside] = await ended()
  expect(inner?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId)
  expect(beside?.parentSpanContext).toBeUndefined()
})

test('a span contains only the type of an error', async () => {
  const { tracing, ended } = recorded()

  const failing = tracing.span('call.provider', {}, () => Promise.reject(new TypeError('token=hunter2')))
  await expect(failing).rejects.toThrow('hunter2')

  const [span] = await ended()
  expect(span?.status).toEqual({ code: 2 })
  expect(span?.attributes['error.type']).toMatch(/^TypeError/)
  expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain('hunter2')
})

test.each(['', 'no traceparent', '00-00000000000000000000000000000000-0000000000000000-01', `00-${'f'.repeat(31)}`])(
  'an invalid traceparent (%s) starts a new trace',
  async (parent) => {
    const { tracing, ended } = recorded()

    await tracing.span('http.request', { parent }, async () => {})

    const [span] = await ended()
    expect(span?.parentSpanContext).toBeUndefined()
  },
)

test('an unsampled link is not recorded', async () => {
  const { tracing, ended } = recorded({ ratio: 0 })

  const traceparent = tracing.begin('link', {})
  const passedOn = await tracing.span('link.move', { parent: traceparent }, async (span) => span.traceparent)
  const begun = await tracing.span('http.request', {}, async (span) => span.traceparent)

  expect(traceparent).toMatch(/-00$/)
  expect(passedOn).toBe(traceparent)
  expect(begun).toMatch(/-00$/)
  expect(await ended()).toEqual([])
})

test('records the configured share of traces, each completely', async () => {
  const { tracing, ended } = recorded({ ratio: 0.5 })

  for (let link = 0; link < 400; link++) {
    const parent = tracing.begin('link', {})
    await tracing.span('link.move', { parent }, async () => {})
  }

  const spans = await ended()
  const links = spans.filter(({ name }) => name === 'link')
  // Fails once in a million runs.
  expect(links.length).toBeGreaterThan(150)
  expect(links.length).toBeLessThan(250)
  const traceIds = (named: ReadableSpan[]) => named.map((span) => span.spanContext().traceId).sort()
  expect(traceIds(spans.filter(({ name }) => name === 'link.move'))).toEqual(traceIds(links))
})

test('without an endpoint nothing is created', async () => {
  expect(noTracing.begin('link', {})).toBeUndefined()
  expect(await noTracing.span('link.move', {}, async ({ traceparent }) => traceparent)).toBeUndefined()
  expect(nestedSpans(noTracing)).toBe(noTracing)
})

test('parses the headers for the collector as specified', () => {
  expect(otlpHeaders().parse('X-Team=links,authorization=Bearer%20a%3Db==')).toEqual({
    'x-team': 'links',
    authorization: 'Bearer a=b==',
  })
  for (const wrong of ['', 'a', 'a b=c', '=c', 'a=%'])
    expect(otlpHeaders().safeParse(wrong).error?.issues[0]?.message).toMatch(/^must be a list/)
})

import { expect, test } from 'vitest'
import { linkPlaces } from '../../../../src/onboarding/domain/trace/link-places.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const viewers = { trace: 'https://traces.example/{trace}', logs: 'https://logs.example/?q={link}&also={link}' }
const link = { id: 'lnk_1', importId: undefined, endUser: { id: 'user-1' } }
const placesOf = (traceparent?: string, given: Partial<typeof viewers> = viewers) =>
  linkPlaces({ ...link, traceparent }, { trace: given.trace, logs: given.logs }, 'https://connect.example')

test('a link has a page, log lines and, if sampled, a trace', () => {
  expect(placesOf(`00-${traceId}-00f067aa0ba902b7-01`)).toEqual({
    page: 'https://connect.example/support/links/lnk_1',
    logs: { query: '"link":"lnk_1"', url: 'https://logs.example/?q=lnk_1&also=lnk_1' },
    trace: { id: traceId, isSampled: true, url: `https://traces.example/${traceId}` },
  })
})

test.each([
  ['was not sampled', `00-${traceId}-00f067aa0ba902b7-00`, { id: traceId, isSampled: false, url: undefined }],
  ['was off', undefined, undefined],
  ['is invalid', 'javascript:alert(1)', undefined],
])('a trace that %s has no link', (_, traceparent, trace) => {
  expect(placesOf(traceparent).trace).toEqual(trace)
})

test('without viewers there is only the query and the ID', () => {
  const { logs, trace } = placesOf(`00-${traceId}-00f067aa0ba902b7-01`, {})

  expect([logs.url, trace?.url, trace?.id]).toEqual([undefined, undefined, traceId])
})

test.each([
  ['traces were off', {}, 'Traces were off when this link began. The operator can turn them on.'],
  ['it was imported', { importId: 'imp_1' }, 'Imports are not traced.'],
  ['its user was erased', { endUser: { id: 'ers_1' } }, 'It was erased with its user.'],
])('without a trace the reason is given: %s', (_, more, why) => {
  const { whyNoTrace } = linkPlaces({ ...link, ...more }, { trace: undefined, logs: undefined }, '')

  expect(whyNoTrace).toBe(why)
  expect(placesOf(`00-${traceId}-00f067aa0ba902b7-01`).whyNoTrace).toBeUndefined()
})

// One link is one trace, over both programs and the tenant's server, and providers hear nothing of it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { formsOf } from '../support/oracles/canaries.ts'
import { startOnboarding } from '../support/worlds/onboarding-world.ts'

type Span = { traceId: string; name: string; attributes?: Array<{ key: string; value: unknown }> }

/** Takes what is exported, as a collector does. */
async function startCollector() {
  const spans: Span[] = []
  const server = createServer(async (req, res) => {
    const { resourceSpans } = (await json(req)) as { resourceSpans: Array<{ scopeSpans: Array<{ spans: Span[] }> }> }
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const known = new Set([
  'link.id',
  'tenant.id',
  'integration.id',
  'connection.id',
  'state.from',
  'state.to',
  'call',
  'cause',
])

test('a link is one trace: its moves, its calls, the platform requests, and the event for the tenant', async () => {
  const collector = await startCollector()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '1' }
  const world = await startOnboarding({ env })

  const minted = await world.mint()
  const { query } = await world.consent(minted)
  const { body: link } = await world.complete(minted, query)
  const { rows } = await world.sql.query('select traceparent from links where id = $1', [link.id])
  const { rows: events } = await world.sql.query('select traceparent from outbox')
  const told = world.platform.seen.map(({ traceparent }) => traceparent)
  await world.close()

  const traceId = rows[0].traceparent.slice(3, 35)
  expect(collector.spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['link', 'link.exchange', 'call.provider', 'link.provision', 'call.platform', 'link.move']),
  )
  expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
  expect(new Set(told.map((each) => each?.slice(3, 35)))).toEqual(new Set([traceId]))
  expect(events).toEqual([{ traceparent: rows[0].traceparent }])
  expect(world.provider.seen.tokenRequests).toHaveLength(1)
  expect(world.provider.headerNames).not.toContain('traceparent')
  const attributes = collector.spans.flatMap((span) => span.attributes ?? [])
  expect([...new Set(attributes.map(({ key }) => key))].filter((key) => !known.has(key))).toEqual([])
  const exported = JSON.stringify(collector.spans)
  for (const secret of ['CANARY', world.key, minted.verifier, query.completion_code ?? ''])
    for (const form of Object.values(formsOf(secret)).flat()) expect(exported).not.toContain(form)
})

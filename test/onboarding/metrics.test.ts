import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenForMetrics } from '../../src/kit/process/metrics-server.ts'
import { endingConnections, queueFigures } from '../../src/onboarding/adapters/postgres/ledger-figures.ts'
import { deliverWebhooks } from '../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { exchange, statusOf } from '../support/http/raw-http.ts'
import { passTime } from '../support/worlds/attack-world.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

test('metrics count a link by its states and calls, without its identifiers', async () => {
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  const { body } = await world.complete(minted, query)

  const text = await figures()

  expect(text).toContain('causeway_link_moves_total{state="linked",cause=""} 1')
  expect(text).toMatch(/causeway_links_ended_total\{integration="\w+",outcome="linked",whose_move="nobody"\} 1/)
  expect(text).toMatch(/causeway_links_ended_total\{integration="\w+",outcome="failed",whose_move="operator"\} 0/)
  expect(text).toMatch(/causeway_outside_seconds_count\{call="exchange",outcome="done"\} 1/)
  expect(text).toMatch(
    /causeway_http_seconds_count\{method="GET",route="\/oauth\/callback\/:integration",status="303"\} 1/,
  )
  expect(text).not.toContain(body.id)
  expect(text).not.toContain('acme')
})

test('a rejected request is counted under its full route', async () => {
  await world.api('GET', '/links/lnk_unknown')

  expect(await figures()).toMatch(
    /causeway_http_seconds_count\{method="GET",route="\/api\/v1\/links\/:linkId",status="404"\} 1/,
  )
})

test('uncompleted links are counted by tenant', async () => {
  const minted = await world.mint()
  await world.consent(minted)
  await passTime(world, minted)

  expect(await figures()).toContain('causeway_links_uncompleted_total{tenant="acme",cause="completion_missing"} 1')
})

test('the ledger reports open rows, their age and queue delays', async () => {
  const text = await figures()

  expect(text).toMatch(/causeway_links\{state="authorizing"\} \d+/)
  expect(text).toMatch(/causeway_links_oldest_seconds\{state="needs_attention"\} 0/)
  expect(text).toMatch(/causeway_connections\{status="active"\} [1-9]/)
  expect(text).toMatch(/causeway_escrow_grants 0/)
  expect(text).toMatch(/causeway_queue_overdue_seconds\{queue="deliveries"\} [\d.]+/)
  for (const dependency of ['database', 'redis', 'platform'])
    expect(text).toContain(`causeway_dependency_up{dependency="${dependency}",state="ready"} 1`)
})

test('a grant that ends soon is counted as long as its connection works', async () => {
  const setEnd = (status: string) =>
    world.sql.query("update connections set grant_ends_at = now() + interval '9 days', status = $1", [status])
  const before = await endingConnections(world.sql)
  await setEnd('active')
  const ending = await endingConnections(world.sql)
  await setEnd('needs_relink')
  const broken = await endingConnections(world.sql)
  await world.sql.query("update connections set grant_ends_at = null, status = 'active'")

  expect([before, ending, broken]).toEqual([{ count: 0 }, { count: 1 }, { count: 0 }])
  expect(await figures()).toContain('causeway_connections_grant_ending 0')
})

test('delivery metrics exclude tenants in test mode', async () => {
  const testMode = { name: 'test', tenant: undefined, testMode: true }
  const testKey = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
  const asTest = world.apiAs(testKey)
  await asTest('PUT', '/tenants/test_laptop', {
    workspace: 'laptop',
    displayName: 'Laptop',
    returnUrls: ['http://localhost/return'],
  })
  await asTest('POST', '/tenants/test_laptop/webhooks', { url: 'https://laptop.invalid/hooks' })
  await asTest('POST', '/tenants/test_laptop/events', { type: 'link.failed' })
  await (await deliverWebhooks(world.ports)()).done

  const { rows } = await world.sql.query(`select attempts from webhook_deliveries where tenant = 'test_laptop'`)
  const inTest = await figures()
  const queueInTest = await queueFigures(world.sql)
  await world.api('POST', '/tenants/acme/webhooks', { url: 'https://acme.invalid/hooks' })
  const minted = await world.mint()
  await world.complete(minted, (await world.consent(minted)).query)
  await (await deliverWebhooks(world.ports)()).done
  const [live, queue] = [await figures(), await queueFigures(world.sql)]

  expect(rows).toEqual([{ attempts: 1 }])
  expect(inTest).toContain('causeway_webhook_attempts_total{outcome="retried"} 0')
  expect(queueInTest.pendingDeliveries).toBe(0)
  expect(live).toContain('causeway_webhook_attempts_total{outcome="retried"} 1')
  expect(queue.pendingDeliveries).toBe(1)
})

test('unknown paths create no new series', async () => {
  const seriesOf = async () => (await figures()).split('\n').filter((line) => line.startsWith('causeway_http_')).length
  const ask = (at: string) =>
    Promise.all(['/links/', '/connections/', `/nothing/${at}/`].map((path) => world.api('GET', `${path}${at}`)))
  await ask('first')
  const before = await seriesOf()

  await Promise.all(Array.from({ length: 20 }, (_, at) => ask(`other-${at}`)))

  expect(await seriesOf()).toBe(before)
})

test.each([
  ['evil.example', 421],
  ['192.0.2.7.evil.example', 421],
  ['8.8.8.8', 421],
  ['localhost', 200],
  ['10.0.0.7:9464', 200],
  ['[fd00::1]', 200],
  ['metrics.internal:9464', 200],
])('T18: the metrics port answers the host %s with %i', async (host, status) => {
  const options = { host: '127.0.0.1', metricsPort: 0, names: ['metrics.internal'] }
  const server = await listenForMetrics(options, world.world.metrics)

  const answer = await exchange(
    `http://127.0.0.1:${server.port}`,
    `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  )
  await server.close()

  expect(statusOf(answer)).toBe(status)
})

async function figures(): Promise<string> {
  const options = { host: '127.0.0.1', metricsPort: 0, names: [] }
  const server = await listenForMetrics(options, world.world.metrics)
  const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`)
  const text = await answer.text()
  await server.close()
  return text
}

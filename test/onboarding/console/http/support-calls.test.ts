import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sweepLinks } from '../../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

let world: ConsoleWorld
let viewer: HttpBrowser

beforeAll(async () => {
  const env = {
    VERIFY_FUNCTIONS: 'true',
    TRACE_URL_TEMPLATE: 'https://traces.example/trace/{trace}?from=causeway',
    LOGS_URL_TEMPLATE: 'https://logs.example/search?q=%22{link}%22',
  }
  world = await startConsoleWorld({ env })
  viewer = await world.signIn(people.viewer)
})
afterEach(() => {
  world.platform.fault = undefined
  world.provider.calm()
})
afterAll(() => world.close())

async function link(): Promise<{ id: string }> {
  const minted = await world.mint()
  return (await world.complete(minted, (await world.consent(minted)).query)).body
}

const pageOf = async ({ id }: { id: string }) => (await world.open(viewer, `/links/${id}`)).text

type Row = { call: string; server: string; result: string; attempt: string }

function callsIn(html: string): Row[] {
  const [, table = ''] = /<h2 id="calls">.*?<tbody>(.*?)<\/tbody>/s.exec(html) ?? []
  return table
    .split('<tr>')
    .slice(1)
    .map((row) => {
      const [, call = '', server = ''] = /<td>([^<]*)<br><small>([^<]*)</.exec(row) ?? []
      const [, result = ''] = /class="badge"[^>]*>([^<]*)</.exec(row) ?? []
      const [, attempt = ''] = /Attempt <\/span>(\d+)/.exec(row) ?? []
      return { call, server, result, attempt }
    })
}

test('the page of a link lists its calls with server and result', async () => {
  const linked = await link()

  const html = await pageOf(linked)

  const app = /<h1>(.*?) link<\/h1>/.exec(html)?.[1]
  expect(callsIn(html).map(({ call, server, result }) => [call, server, result])).toEqual([
    ['Exchange the code', app, '200'],
    ['Create the connection', 'Platform', '200'],
    ['Create the function', 'Platform', '200'],
    ['List the function’s tools (MCP)', 'Platform', '200'],
  ])
  expect(html).toMatch(/Duration <\/span>\d+(\.\d)? m?s</)
})

test('a stored call has a name, times and codes, but no address, token or body', async () => {
  const { id } = await link()

  const { rows } = await world.sql.query('select calls from links where id = $1', [id])

  expect(rows[0].calls).toMatch(/^(\d{13} [a-z_]+ \d{3} \d+ 1;){4}$/)
})

test('a retried step shows the calls of all attempts', async () => {
  world.platform.fault = () => 503
  const waiting = await link()
  await world.sql.query('update links set due_at = now() where next_attempt_at is not null')
  await sweepLinks(world.ports, world.settings)
  world.platform.fault = undefined
  await world.sql.query('update links set due_at = now() where next_attempt_at is not null')
  await sweepLinks(world.ports, world.settings)

  const rows = callsIn(await pageOf(waiting)).filter(({ call }) => call === 'Create the connection')

  expect(rows.map(({ result, attempt }) => [result, attempt])).toEqual([
    ['503', '1'],
    ['503', '2'],
    ['200', '3'],
  ])
})

test("a link that failed at the app shows the app's response", async () => {
  world.provider.misbehave({ token: () => ({ status: 400, body: { error: 'invalid_grant' } }) })
  const failed = await link()

  expect(callsIn(await pageOf(failed))).toMatchObject([{ call: 'Exchange the code', result: '400' }])
})

test('a link without recorded calls is explained on its page', async () => {
  const older = await link()
  await world.sql.query('update links set calls = null where id = $1', [older.id])

  const html = await pageOf(older)

  expect(callsIn(html)).toEqual([])
  expect(html).toContain('None on record.')
})

test('a test-mode link calls no other server, and its page explains it', async () => {
  const tenant = { workspace: 'test_acme', displayName: 'Acme test', returnUrls: ['https://acme.example/return'] }
  await world.api('PUT', '/tenants/test_acme', tenant)
  const older = await link()
  await world.sql.query("update links set tenant = 'test_acme', calls = null where id = $1", [older.id])

  expect(await pageOf(older)).toContain('in test mode no other server is called')
})

describe('from a link', () => {
  const trace = (id: string, flags: string) =>
    world.sql.query('update links set traceparent = $2 where id = $1', [id, `00-${traceId}-00f067aa0ba902b7-${flags}`])

  test('its log lines are one copy or click away', async () => {
    const { id } = await link()

    const html = await pageOf({ id })

    expect(html).toContain(`<code id="log-query">&#34;link&#34;:&#34;${id}&#34;</code>`)
    expect(html).toContain(`href="https://logs.example/search?q=%22${id}%22"`)
    expect(html).toContain('Traces were off when this link began. The operator can turn them on.')
  })

  test('its trace is one click away and leads back', async () => {
    const { id } = await link()
    await trace(id, '01')

    const html = await pageOf({ id })
    const found = await world.open(viewer, `/search?q=${traceId.toUpperCase()}`)

    expect(html).toContain(`<code id="trace-id">${traceId}</code>`)
    expect(html).toContain(`href="https://traces.example/trace/${traceId}?from=causeway"`)
    expect(found.text).toContain(`href="/support/links/${id}"`)
    await trace(id, '00')
  })

  test('a trace that was not sampled is named without a link', async () => {
    const { id } = await link()
    await trace(id, '00')

    const html = await pageOf({ id })

    expect(html).toContain(traceId)
    expect(html).toContain('Not recorded')
    expect(html).not.toContain('traces.example')
  })
})

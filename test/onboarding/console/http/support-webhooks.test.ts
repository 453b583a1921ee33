import { afterAll, beforeAll, expect, test } from 'vitest'
import { deliveryFailureReasons } from '../../../../src/onboarding/domain/webhooks/delivery.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  await world.linkHonestly()
  const calm = { workspace: 'calm', displayName: 'Calm', returnUrls: ['https://calm.example/'] }
  await world.api('PUT', '/tenants/calm', calm)
  await world.sql.query(`insert into tenants (id, workspace, display_name, return_urls, signing_secret)
    select 'test_laptop', 'test_laptop', 'Laptop', '{}', signing_secret from tenants where id = 'calm'`)
  await world.sql.query(`insert into webhooks (id, tenant, url, events, secret, status) values
    ('whk_gone', 'acme', 'https://acme.example/hooks?key=CANARY-HOOK', '{}', 'x', 'disabled'),
    ('whk_test', 'test_laptop', 'https://laptop.example/hooks', '{}', 'x', 'disabled'),
    ('whk_good', 'calm', 'https://calm.example/hooks', '{}', 'x', 'active')`)
  await world.sql.query(`insert into webhook_deliveries (id, webhook, event, tenant, status, failure_reason, due_at)
    select made.delivery, made.webhook, outbox.id, made.tenant, 'dead', 'webhook_disabled', null
    from (select id from outbox limit 1) as outbox,
      (values ('dlv_gone', 'whk_gone', 'acme'), ('dlv_test', 'whk_test', 'test_laptop')) as made (delivery, webhook, tenant)`)
  agent = await world.signIn(people.agent)
})

afterAll(() => world.close())

const read = async (path: string) => (await world.open(agent, path)).text

test('the overview links to the disabled endpoint', async () => {
  const overview = await read('/')
  const [, path = ''] = /<a href="\/support([^"]+)">[^<]*1 endpoint disabled/.exec(overview) ?? []

  const page = await read(path)

  expect(page).toMatch(/Disabled endpoints.*https:\/\/acme\.example\/hooks\?….*data-status="failed">Disabled</s)
  expect(page).not.toContain('https://calm.example/hooks')
  expect(page).not.toContain('CANARY-HOOK')
})

test('endpoints and messages of a test tenant are only shown by name and are not counted', async () => {
  const [overview, all, named] = [await read('/'), await read('/webhooks'), await read('/webhooks?tenant=test_laptop')]

  expect(overview).toContain('1 endpoint disabled')
  expect(all).not.toContain('laptop.example')
  expect(named).toMatch(/Endpoints of test_laptop.*https:\/\/laptop\.example\/hooks/s)
})

test('with a tenant, all its endpoints are listed with their state', async () => {
  const page = await read('/webhooks?tenant=calm')

  expect(page).toMatch(/Endpoints of calm.*https:\/\/calm\.example\/hooks<.*data-status="linked">Active</s)
  expect(page).not.toContain('acme.example')
  expect(page).not.toContain('responds with 410')
})

test('a disabled endpoint links to the page where an admin enables it', async () => {
  const pages = [await read('/webhooks'), await read('/webhooks/acme/dlv_gone')]

  for (const page of pages) expect(page).toContain('href="/support/tenants/acme#webhooks"')
})

test('a message shows its endpoint and error, and is not sent to a disabled endpoint', async () => {
  const [list, page] = [await read('/webhooks'), await read('/webhooks/acme/dlv_gone')]

  expect(list).toMatch(/>acme<\/a><\/td>\s*<td class="extra">acme\.example<\/td>/)
  expect(list).toContain('The endpoint is disabled')
  expect(page).toMatch(/Endpoint<\/dt><dd>https:\/\/acme\.example\/hooks\?…<.*Endpoint status<\/dt><dd>Disabled</s)
  expect(page).not.toContain('/replay"')
  expect(`${list}${page}`).not.toContain('CANARY-HOOK')
})

test.each(deliveryFailureReasons)('errors are described in words: %s', async (failureReason) => {
  await world.sql.query('update webhook_deliveries set failure_reason = $1', [failureReason])

  const page = await read('/webhooks/acme/dlv_gone')

  expect(page).toMatch(/Problem<\/dt><dd>The [a-z ,()0-9]{16,}</)
})

test('each message is one line with its attempts and response, also on a phone', async () => {
  await world.sql.query('update webhook_deliveries set attempts = 2, response_status = 503')

  const list = await read('/webhooks')
  const [row = ''] = /<tr>\s*<td class="app"><a [^>]+>Account connected.*?<\/tr>/s.exec(list) ?? []

  expect(row).toMatch(/<td class="state">.*<small>2 attempts · 503</)
  expect(row).toMatch(/<time [^>]+ title="[^"]+ UTC">/)
  expect(row.match(/extra/g)).toHaveLength(1)
})

test('the page of a delivery shows the message that was sent', async () => {
  const page = await read('/webhooks/acme/dlv_gone')

  expect(page).toMatch(
    /<pre [^>]+><code>\{\n {2}&#34;type&#34;: &#34;link\.\w+&#34;,.*&#34;tenantId&#34;: &#34;acme&#34;/s,
  )
})

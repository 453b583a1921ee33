// Pages on small screens and slow connections: no overflow, no horizontal scrolling, no layout shift.
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resumeTasks } from '../../src/onboarding/connections/flows/work-on-task.ts'
import { resumeErasures } from '../../src/onboarding/offboarding/flows/work-on-erasure.ts'
import { deliverWebhooks } from '../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { people } from '../support/doubles/console-issuer.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type ConsoleWorld, startConsoleWorld } from '../support/worlds/console-world.ts'
import { barriersOn } from './page-checks.ts'
import { expectNothingMoved, launchBrowser, newVisitor, takePictures } from './watched-browser.ts'

// The machine may be slow.
let world: ConsoleWorld
let browser: Browser

beforeAll(async () => {
  const undescribed = { name: `https://provider.example/auth/${'everything.'.repeat(12)}` }
  ;[world, browser] = await Promise.all([
    startConsoleWorld({ integration: { scopes: [{ name: 'openid' }, undescribed] } }),
    launchBrowser(),
  ])
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

const onPhone = () => newVisitor(browser, { viewport: { width: 390, height: 844 } })

test('a permission with a long name fits the connect page', async () => {
  const page = await onPhone()

  await page.goto((await world.mint()).url)

  await page.getByText('https://provider.example/auth/').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
})

test('erasure pages fit and are accessible: the list, a running one, and its receipt', async () => {
  const admin = await world.signIn(people.admin)
  const minted = await world.mint({ endUser: { id: 'leaving' } })
  const { query } = await world.consent(minted)
  await world.complete(minted, query)
  const { id } = (await world.api('POST', '/erasures', { tenantId: 'acme', endUser: { id: 'leaving' } })).body
  const headers = { Cookie: admin.cookiesFor(`${world.url}/support`) }
  // A new page per look: the page of an erasure in progress reloads itself, which would interrupt the navigation.
  const look = async (path: string, name: string) => {
    const page = await newVisitor(browser, { extraHTTPHeaders: headers })
    await page.goto(`${world.url}/support/${path}`)
    await takePictures(page, name)
    expect(await barriersOn(page)).toEqual([])
    expect(page.complaints).toEqual([])
    const text = await page.locator('body').innerText()
    await page.close()
    return text
  }

  await look(`erasures/${id}`, 'erasure-under-way')
  await waitFor('the erasure is done', async () => {
    for (const table of ['erasures', 'connection_tasks', 'outbox', 'webhook_deliveries'])
      await world.sql.query(`update ${table} set due_at = now() where due_at is not null`)
    await resumeErasures(world.ports, world.settings)
    await resumeTasks(world.ports, world.settings)
    await (await deliverWebhooks(world.ports)()).done
    return (await world.api('GET', `/erasures/${id}`)).body.status === 'done'
  })
  await look(`erasures/${id}`, 'erasure-receipt')
  const list = await look('erasures', 'erasures')

  expect(list).not.toContain('leaving')
})

test.each(['links', 'connections', 'audit'])(
  'the filters of %s do not move when the rest of the page arrives',
  async (name) => {
    const text = await pageInPieces(`/${name}`)
    const [head, ...fields] = text.slice(text.indexOf('class="filters"')).split('</label>')

    await expectStillWhenCutAt(text, text.indexOf('class="filters"') + `${head}</label>${fields[0]}`.length)
  },
)

test.each([
  ['within the chart', '</svg>'],
  ['after the chart', '</section>'],
])('the overview does not move when the rest, cut %s, arrives', async (_where, end) => {
  const text = await pageInPieces('')

  await expectStillWhenCutAt(text, text.indexOf(end, text.indexOf('class="columns"')) + end.length)
})

/** Without `expect`, which not all browsers know: they draw a page before it is complete. */
async function pageInPieces(path: string) {
  const { text } = await world.open(await world.signIn(), path)
  return text.replace(/<link rel="expect"[^>]*>/, '')
}

async function expectStillWhenCutAt(text: string, cut: number) {
  const slow = await startSlowServer(text.slice(0, cut), text.slice(cut))
  const page = await newVisitor(browser)

  await page.goto(slow.url, { waitUntil: 'commit' })
  await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`)
  await drawn(page)
  slow.sendRest()
  await page.locator('footer').waitFor()
  await drawn(page)

  await expectNothingMoved(page, 'when the rest arrived')
  slow.close()
}

/** Waits until the page is drawn and layout shifts are reported. */
const drawn = (page: Page) =>
  page.evaluate('new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(told))))')

/** Serves the page in two parts, and proxies everything else. */
async function startSlowServer(first: string, rest: string) {
  let open: ServerResponse | undefined
  const server = createServer((req, res) => {
    if (req.url !== '/') return void get(world.url + req.url, (answer) => answer.pipe(withHeaders(res, answer)))
    open = res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.write(first)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sendRest: () => void open?.end(rest),
    close: () => server.close(),
  }
}

const withHeaders = (res: ServerResponse, { statusCode = 502, headers }: IncomingMessage) =>
  res.writeHead(statusCode, headers)

// Cost pages and files.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { type HttpServer, listen } from '../../../src/kit/http/http-server.ts'
import { hashPassword } from '../../../src/platform/identity/domain/password.ts'
import { HttpBrowser, type Visit } from '../../support/http/http-browser.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { meter, oneDollarEach, used } from '../../support/worlds/metered.ts'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

const password = 'open sesame'
const march = 'from=2026-03-01&to=2026-03-07'

let world: PlatformWorld
let server: HttpServer
let admin: HttpBrowser
let member: HttpBrowser

beforeAll(async () => {
  const file = join(temporaryFolder(), 'prices.json')
  writeFileSync(file, JSON.stringify({ prices: oneDollarEach }))
  const port = await freePort()
  world = await platformWorld({ env: { PRICES_FILE: file, PORT: String(port), HOST: '127.0.0.1' } })
  server = await listen(world.app, { host: '127.0.0.1', port })
  await world.enter('beta', 'admin@acme.example')
  await world.enter('acme', 'user@acme.example')
  await world.enter('foreign', 'owner@other.example', 'other')
  await world.pool.query(
    "update account_members set role = 'member' where user_id = (select id from users where email = 'user@acme.example')",
  )
  const hash = await hashPassword(password)
  await Promise.all(['admin', 'user'].map((name) => world.adapters.users.setPassword(`${name}@acme.example`, hash)))
  await meter(world.pool, [
    used({
      at: '2026-03-02T00:00:00.000Z',
      quantity: 4,
      dimension: 'mcp_server_compute_runtime_gbs',
      name: 'filebox-7',
    }),
    used({ at: '2026-03-02T10:00:00.000Z', quantity: 1, dimension: 'mcp_server_image_storage_gbs', name: 'filebox-7' }),
    used({ at: '2026-03-04T23:59:59.999Z', quantity: 8, workspace: 'beta', name: 'bot' }),
    used({ at: '2026-03-08T00:00:00.000Z', quantity: 16, name: 'bot' }),
    used({ at: '2026-03-03T00:00:00.000Z', quantity: 0.25, name: '=1+1', uuid: 'a "quoted", id' }),
  ])
  ;[admin, member] = await Promise.all([signedIn('admin@acme.example'), signedIn('user@acme.example')])
})

afterAll(async () => {
  await server.close(0)
  await world.close()
})

const at = (path: string) => `${world.config.addresses.auth}${path}`
const account = (query: string) => at(`/billing/accounts/${world.admin.accountId}?${query}`)

async function signedIn(email: string): Promise<HttpBrowser> {
  const browser = new HttpBrowser()
  await signIn(browser, await browser.follow(await browser.get(at('/billing'))), email)
  return browser
}

const signIn = async (browser: HttpBrowser, page: Visit, email: string) =>
  browser.follow(await browser.post(`${page.url}/sign-in`, { email, password }))

const columns = ({ text }: Visit) => [...text.matchAll(/<title>([^<]+)<\/title><\/rect>/g)].map(([, title]) => title)
const rows = ({ text }: Visit) =>
  [...text.matchAll(/<div class="labelled">.*?(?:<span>|<a [^>]*>)([^<]*)<.*?<\/tr>/gs)].map(([row, label]) => [
    label,
    ...[...row.matchAll(/<td class="number[^"]*">([^<]*)</g)].map(([, cell]) => cell),
  ])

describe('sign-in', () => {
  test('redirects to the requested page without consent', async () => {
    const browser = new HttpBrowser()
    const asked = at(`/billing/workspaces/acme/functions/filebox-7?${march}`)

    const form = await browser.follow(await browser.get(asked))
    const page = await signIn(browser, form, 'admin@acme.example')

    expect(form.text).toContain('Sign in')
    expect([page.status, page.url]).toEqual([200, asked])
  })

  test('shows nothing before signing in and after signing out', async () => {
    const browser = await signedIn('admin@acme.example')
    const before = await new HttpBrowser().get(account(march))
    const during = await browser.get(account(march))

    const out = await browser.post(at('/oauth/sign-out'))
    const after = await browser.get(account(march))

    expect([before.status, during.status, out.status, after.status]).toEqual([303, 200, 200, 303])
    expect(`${before.text}${after.text}`).not.toContain('$')
  })

  test('cannot be ended by a form of another site', async () => {
    const answer = await admin.post(at('/oauth/sign-out'), {}, { 'Sec-Fetch-Site': 'cross-site' })
    const still = await admin.get(account(march))

    expect([answer.status, still.status]).toEqual([403, 200])
  })

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'billing', '/a b'])(
    'never redirects to %s',
    async (state) => {
      const answer = await admin.get(at(`/oauth/signed-in?state=${encodeURIComponent(state)}`))

      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/billing'])
    },
  )

  test('in a browser without cookies ends with a page that explains it', async () => {
    const answer = await new HttpBrowser().get(at('/oauth/signed-in?state=/billing'))

    expect(answer.status).toBe(400)
    expect(answer.text).toContain('cookies')
  })

  test('gives the pages no code and no token', async () => {
    const authorize = at(
      `/oauth/authorize?client_id=platform-pages&response_type=none&scope=openid&state=x&redirect_uri=${at('/oauth/signed-in')}`,
    )

    const none = await admin.get(authorize)
    const code = await admin.get(authorize.replace('response_type=none', 'response_type=code'))

    expect(none.headers.get('location')).toMatch(/\/oauth\/signed-in\?state=x(&iss=[^&]*)?$/)
    expect(code.headers.get('location') ?? '').not.toContain('code=')
  })
})

describe('a cost page', () => {
  test('of an account shows every part of every column, sums and shares', async () => {
    const page = await admin.get(account(`${march}&resolution=daily`))

    expect(columns(page)).toEqual([
      'MCP server compute: $4.00. 2 Mar 2026, $5.00 in all',
      'MCP server images: $1.00. 2 Mar 2026, $5.00 in all',
      'Agent compute: $0.25. 3 Mar 2026, $0.25 in all',
      'Agent compute: $8.00. 4 Mar 2026, $8.00 in all',
    ])
    expect(rows(page)).toEqual([
      ['Agent compute', '8.25 GB-seconds', '$8.25', '62%'],
      ['MCP server compute', '4 GB-seconds', '$4.00', '30%'],
      ['MCP server images', '1 GB-seconds', '$1.00', '7.5%'],
    ])
    expect(page.text).toContain('<td class="number">$13.25</td>')
  })

  test('includes the last day', async () => {
    const seven = await admin.get(account(`${march}&groupBy=none`))
    const eight = await admin.get(account('from=2026-03-01&to=2026-03-08&groupBy=none'))

    expect([rows(seven), rows(eight)]).toEqual([[['Everything', '$13.25', '100%']], [['Everything', '$29.25', '100%']]])
  })

  test('splits by workspace and links to the page of each', async () => {
    const page = await admin.get(account(`${march}&groupBy=workspace`))
    const link = /href="(\/billing\/workspaces\/beta[^"]*)"/.exec(page.text)?.[1] ?? ''

    const beta = await admin.get(at(link.replaceAll('&amp;', '&')))

    expect(rows(page)).toEqual([
      ['beta', '$8.00', '60%'],
      ['acme', '$5.25', '40%'],
    ])
    expect(rows(beta)).toEqual([['Agent compute', '8 GB-seconds', '$8.00', '100%']])
  })

  test.each([
    ['workspace=beta', '$8.00'],
    ['resourceName=filebox-7', '$5.00'],
    ['resourceType=agent', '$8.25'],
    ['billingDimension=mcp_server_image_storage_gbs', '$1.00'],
    ['workspace=beta&resourceName=filebox-7', undefined],
  ])('filtered by %s costs %s', async (filter, total) => {
    const page = await admin.get(account(`${march}&groupBy=none&${filter}`))

    expect(rows(page)[0]?.[1]).toBe(total)
  })

  test('of one function is found by its workspace and its name', async () => {
    const page = await admin.get(at(`/billing/workspaces/acme/functions/filebox-7?${march}`))

    expect(page.text).toContain('filebox-7</h1>')
    expect(rows(page).map(([label, , cost]) => [label, cost])).toEqual([
      ['MCP server compute', '$4.00'],
      ['MCP server images', '$1.00'],
    ])
  })

  test('keeps the chosen values in its controls', async () => {
    const { text } = await admin.get(account(`${march}&resolution=weekly&groupBy=resource_name&resourceName=bot`))

    expect(text).toContain('name="from" value="2026-03-01"')
    expect(text).toContain('name="to" value="2026-03-07"')
    expect(text).toContain('<option value="weekly" selected>')
    expect(text).toContain('<option value="resource_name" selected>')
    expect(text).toContain('name="resourceName" value="bot"')
  })

  test('without parameters shows the last thirty days by dimension', async () => {
    const { text, status } = await admin.get(account(''))

    expect(status).toBe(200)
    expect(text).toContain('<option value="billing_dimension" selected>')
    expect(text).toMatch(/aria-current="true">30 days/)
  })

  test('of many groups draws the costliest and the sum of the others', async () => {
    const uses = Array.from({ length: 12 }, (_, n) =>
      used({ at: '2026-02-02T00:00:00Z', quantity: n + 1, name: `many-${n}` }),
    )
    await meter(world.pool, uses)

    const page = await admin.get(account('from=2026-02-02&to=2026-02-02&resolution=daily&groupBy=resource_name'))

    expect(columns(page)).toHaveLength(8)
    expect(columns(page)[0]).toBe('many-11: $12.00. 2 Feb 2026, $78.00 in all')
    expect(columns(page).at(-1)).toBe('All others: $15.00. 2 Feb 2026, $78.00 in all')
    expect(rows(page)).toHaveLength(12)
  })

  test('limits the columns of a page, but not of a file', async () => {
    const page = await admin.get(account('from=1900-01-01&to=2026-12-31'))
    const file = await admin.get(
      at(`/billing/accounts/${world.admin.accountId}/costs.csv?from=1900-01-01&to=2026-12-31`),
    )

    expect([page.status, file.status]).toEqual([400, 200])
    expect(page.text).toContain('To: a page shows at most 400 steps')
  })

  test('shows an empty period', async () => {
    const { text } = await admin.get(account('from=2020-01-01&to=2020-01-02'))

    expect(text).toContain('No usage in this period')
  })
})

describe('errors of the controls are shown above them, worded like the API', () => {
  test.each([
    ['from=yesterday', 'From: must be a date, for example 2026-01-31'],
    ['to=2026-02-30', 'To: must be a date'],
    ['from=2026-03-08&to=2026-03-01', 'To: must not be before the first day'],
    ['from=2026-01-01&to=2026-01-08&resolution=hourly', 'Granularity: hourly covers at most 7 days'],
    ['from=2026-01-01&to=2026-04-01&resolution=daily', 'Granularity: daily covers at most 90 days'],
    ['from=2025-01-01&to=2026-01-01&resolution=weekly', 'Granularity: weekly covers at most 1 year'],
    ['resolution=yearly', 'Granularity: '],
    ['groupBy=region', 'Group by: must be one of workspace'],
    ['groupBy=workspace,workspace', 'Group by: must not name a dimension twice'],
    ['groupBy=workspace,resource_type,resource_name,resource_uuid', 'Group by: takes at most 3 dimensions'],
    ['billingDimension=coffee', 'Dimension: '],
    ['label=team', 'label: is not supported'],
    ['unit=gbs', 'unit: is not supported'],
  ])('%s', async (query, complaint) => {
    const page = await admin.get(account(query))
    const file = await admin.get(at(`/billing/accounts/${world.admin.accountId}/costs.csv?${query}`))

    expect(page.status).toBe(400)
    expect(page.text.replaceAll('&#39;', "'")).toContain(`<p>${complaint}`)
    expect([file.status, file.headers.get('content-disposition')]).toEqual([400, null])
  })

  test('escapes the entered values', async () => {
    const page = await admin.get(account(`resourceName=${encodeURIComponent('"><script>alert(1)</script>')}&from=x`))

    expect(page.text).not.toContain('<script>')
  })
})

describe('rights', () => {
  test.each([
    ['groupBy=workspace', ''],
    ['workspace=acme', ''],
    ['', '/billing/workspaces/acme'],
    ['', '/billing/workspaces/acme/functions/filebox-7'],
  ])('a member of the account who requests %s %s gets a page with 403, and no file', async (query, path) => {
    const address = path ? at(path) : at(`/billing/accounts/${world.admin.accountId}`)

    const page = await member.get(`${address}?${march}&${query}`)
    const file = await member.get(`${address}/costs.csv?${march}&${query}`)

    expect([page.status, file.status]).toEqual([403, 403])
    expect(page.text).toContain('only account admins')
  })

  test('a member sees the other pages, without admin controls', async () => {
    const page = await member.get(account(march))

    expect(page.status).toBe(200)
    expect(page.text).not.toMatch(/name="workspace"|<option value="workspace/)
  })

  test.each(['/billing/accounts/never-was', '/billing/workspaces/foreign', '/billing/workspaces/never-was'])(
    '%s is 404 for a user outside the account',
    async (path) => {
      const page = await admin.get(at(path))

      expect(page.status).toBe(404)
      expect(page.text).toContain('Page not found')
    },
  )

  test('a kind of resource that is not billed has no page', async () => {
    expect((await admin.get(at('/billing/workspaces/acme/policies/gpt'))).status).toBe(404)
  })
})

test('a file has every group and step with exact values, and no cell that a spreadsheet would run', async () => {
  const groupBy = 'workspace,resource_name,billing_dimension'

  const file = await admin.get(
    at(`/billing/accounts/${world.admin.accountId}/costs.csv?${march}&groupBy=${groupBy}&resolution=daily`),
  )

  expect(file.headers.get('content-type')).toContain('text/csv')
  expect(file.headers.get('content-disposition')).toContain('costs.csv')
  expect(file.text.split('\r\n')).toEqual([
    'start,workspace,resourceType,resourceName,resourceUuid,billingDimension,costUsd,usage,unit',
    "2026-03-03T00:00:00.000Z,acme,agent,'=1+1,,agent_compute_runtime_gbs,0.25,0.25,gbs",
    '2026-03-02T00:00:00.000Z,acme,mcp_server,filebox-7,,mcp_server_compute_runtime_gbs,4,4,gbs',
    '2026-03-02T00:00:00.000Z,acme,mcp_server,filebox-7,,mcp_server_image_storage_gbs,1,1,gbs',
    '2026-03-04T00:00:00.000Z,beta,agent,bot,,agent_compute_runtime_gbs,8,8,gbs',
    '',
  ])
})

test('a file contains all groups, also those beyond the page limit', async () => {
  const uses = Array.from({ length: 250 }, (_, n) => used({ at: '2025-06-01T00:00:00Z', name: `crowd-${n}` }))
  await meter(world.pool, uses)
  const query = 'from=2025-06-01&to=2025-06-01&groupBy=resource_uuid'

  const file = await admin.get(at(`/billing/accounts/${world.admin.accountId}/costs.csv?${query}`))
  const page = await admin.get(account(query))

  expect(file.text.trim().split('\r\n')).toHaveLength(251)
  expect(rows(page)).toHaveLength(100)
  expect(page.text).toContain('the CSV has all of them')
  expect(page.text).toContain('$250.00')
})

// Lists of the console by day, and as files.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let viewer: HttpBrowser
let linked: { id: string; connection: { id: string } }

beforeAll(async () => {
  world = await startConsoleWorld()
  viewer = await world.signIn(people.viewer)
  const minted = await world.mint({ endUser: { id: '=cmd|calc' } })
  linked = (await world.complete(minted, (await world.consent(minted)).query)).body
})
afterAll(() => world.close())

const today = () => new Date().toISOString().slice(0, 10)

test.each(['connections', 'links'])('%s are filtered by creation day', async (list) => {
  const thatDay = await world.open(viewer, `/${list}?from=${today()}&to=${today()}`)
  const before = await world.open(viewer, `/${list}?to=2020-01-01`)

  const id = list === 'links' ? linked.id : linked.connection.id
  expect(thatDay.text).toContain(`/support/${list}/${id}`)
  expect(thatDay.text).toContain(`href="/support/${list}.csv?from=${today()}&amp;to=${today()}"`)
  expect(before.text).toContain('No matching')
})

test.each(['connections', 'links'])('%s are filtered by integration, also in the export', async (list) => {
  const those = await world.open(viewer, `/${list}?integration=provider`)
  const file = await world.open(viewer, `/${list}.csv?integration=provider`)
  const others = await world.open(viewer, `/${list}?integration=gone`)
  const noFile = await world.open(viewer, `/${list}.csv?integration=gone`)

  const id = list === 'links' ? linked.id : linked.connection.id
  expect(those.text).toContain(`/support/${list}/${id}`)
  expect(those.text).toContain('name="integration" value="Provider"')
  expect(those.text).toContain(`href="/support/${list}.csv?integration=provider"`)
  expect(file.text).toContain(id)
  // A bookmarked filter works after its integration was removed.
  expect(others.text).toContain('name="integration" value="gone"')
  expect(others.text).toContain('No matching')
  expect(noFile.text.split('\r\n')).toHaveLength(2)
})

test('a list is exported as CSV without formulas, and the export is audited', async () => {
  const connections = await world.open(viewer, '/connections.csv?tenant=acme')
  const links = await world.open(viewer, '/links.csv')
  const none = await world.open(viewer, '/links.csv?to=2020-01-01')

  expect(connections.headers.get('content-disposition')).toContain('causeway-connections.csv')
  expect(connections.text).toContain(`${linked.connection.id},acme,provider,'=cmd|calc,`)
  expect(links.text).toContain(`${linked.id},acme,provider,${linked.connection.id},'=cmd|calc,linked,linked,`)
  expect(none.text.split('\r\n')).toHaveLength(2)
  const { rows } = await world.sql.query(
    "select facts from audit where action = 'list.exported' and facts ? 'tenantId'",
  )
  expect(rows).toEqual([{ facts: { list: 'connections', format: 'csv', tenantId: 'acme' } }])
})

test.each(['connections', 'links'])('%s of a tenant are found in any letter case of its ID', async (list) => {
  const { text } = await world.open(viewer, `/${list}?tenant=%20Acme`)

  expect(text).toContain(`/support/${list}/${list === 'links' ? linked.id : linked.connection.id}`)
  expect(text).toContain('<label>Tenant<input name="tenant" value="acme"')
})

test.each(['connections', 'links', 'audit'])('%s with a reversed date range are explained', async (list) => {
  const { text } = await world.open(viewer, `/${list}?from=2026-02-01&to=2026-01-01`)

  expect(text).toContain('The first day is after the last one.')
})

test.each(['connections', 'links'])(
  '%s state their sort order, and browsers do not autofill old filters',
  async (list) => {
    const { text } = await world.open(viewer, `/${list}`)

    expect(text).toMatch(/newest first<\/caption>/)
    expect(text).toContain('aria-sort="descending"')
    expect(text).toContain(
      `<form class="filters" method="get" action="/support/${list}" autocomplete="off" data-apply>`,
    )
  },
)

test('the ID of a request without entries is distinguished from a malformed one', async () => {
  const id = (await world.open(viewer, '/account')).headers.get('x-request-id')

  const { text } = await world.open(viewer, `/search?q=${id}`)

  expect(text).toContain('This request changed nothing that is on record')
  expect(text).not.toContain('IDs must be complete')
})

test('the connections of a campaign state their order', async () => {
  const admin = await world.signIn(people.admin)
  await world.sql.query(`
    insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
      cause, end_user_id, account_id)
    select 'con_order' || n, 'acme', 'acme', 'provider', 'order-' || n, 'order-' || n, 'https://x.example', '{}',
      'needs_relink', 'grant_revoked', 'user-' || n, 'account-' || n
    from generate_series(1, 2) as n`)
  await world.send(admin, '/campaigns', { cause: 'grant_revoked', tenant: 'acme', days: '1', reason: 'ticket 1' })
  const [, id] = /(cmp_\w+)/.exec((await world.open(admin, '/campaigns')).text) ?? []

  const { text } = await world.open(viewer, `/campaigns/${id}`)

  expect(text).toMatch(/oldest connection first<\/caption>.*order-1<.*order-2</s)
})

describe('lists with many pages', () => {
  beforeAll(async () => {
    await world.sql.query(`
      insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
        end_user_id, status_since)
      select 'con_9' || lpad(n::text, 3, '0'), 'acme', 'acme', (array['provider', 'alpha', 'beta'])[1 + n % 3],
        'sorted-' || n, 'sorted-' || n, 'https://x.example', '{}',
        (array['active', 'needs_relink', 'disconnected'])[1 + n % 4 % 3], 'User-' || n % 7,
        timestamptz '2026-01-01' + n / 3 * interval '1 microsecond'
      from generate_series(1, 130) as n`)
    await world.sql.query(`
      insert into links (id, session_id, tenant, workspace, integration, end_user, browser, state, connection_id,
        connection_name, function_name, due_at)
      select 'lnk_9' || lpad(n::text, 3, '0'), 'ses_9' || n, 'acme', 'acme', (array['provider', 'alpha', 'beta'])[1 + n % 3],
        jsonb_build_object('id', 'User-' || n % 7), 'none', (array['linked', 'failed', 'escrowed'])[1 + n % 4 % 3],
        'con_9' || lpad(n::text, 3, '0'), 'sorted', 'sorted', case when n % 4 = 2 then timestamptz '2100-01-01' end
      from generate_series(1, 130) as n`)
  })

  test.each([
    ['connections', 'oldest', 'id', 'ascending'],
    ['connections', 'app', 'integration, id', 'ascending'],
    ['connections', '-app', 'integration desc, id desc', 'descending'],
    ['connections', 'person', 'lower(end_user_id), id desc', 'ascending'],
    ['connections', '-person', 'lower(end_user_id) desc, id', 'descending'],
    ['connections', 'tenant', 'tenant, id', 'ascending'],
    ['connections', 'state', 'status, id', 'ascending'],
    ['connections', '-state', 'status desc, id desc', 'descending'],
    ['connections', 'changed', 'status_since, id', 'ascending'],
    ['connections', '-changed', 'status_since desc, id desc', 'descending'],
    ['links', 'oldest', 'id', 'ascending'],
    ['links', 'app', 'integration, id', 'ascending'],
    ['links', '-app', 'integration desc, id desc', 'descending'],
    ['links', 'person', "lower(end_user ->> 'id'), id", 'ascending'],
    ['links', '-person', "lower(end_user ->> 'id') desc, id desc", 'descending'],
    ['links', '-tenant', 'tenant desc, id desc', 'descending'],
    ['links', 'state', "case state when 'escrowed' then 'pending' else state end, id", 'ascending'],
    ['links', '-state', "case state when 'escrowed' then 'pending' else state end desc, id desc", 'descending'],
  ])('%s in the order “%s” have every row once, also with a filter', async (list, order, orderBy, direction) => {
    const filters = [
      ['', 'true'],
      ['tenant=acme&integration=provider&', "tenant = 'acme' and integration = 'provider'"],
    ]
    for (const [filter, where] of filters) {
      const { rows } = await world.sql.query(`select id from ${list} where ${where} order by ${orderBy}`)

      const pages = await allPages(`/${list}?${filter}order=${order}`)

      expect(pages.join('')).toContain(`aria-sort="${direction}"`)
      expect(pages.flatMap((text) => idsOn(list, text))).toEqual(rows.map(({ id }) => id))
    }
  })

  test('a connection that changes between two pages hides no other one', async () => {
    const order = '/connections?order=-state'
    const [first = ''] = await allPages(order)
    const ids = idsOn('connections', first)
    await world.sql.query('update connections set status = $1 where id = $2', ['active', ids.at(-1)])

    const next = await world.open(viewer, nextOf(first) ?? '')
    await world.sql.query('update connections set status = $1 where id = $2', ['needs_relink', ids.at(-1)])

    const unchanged = (await allPages(order)).flatMap((text) => idsOn('connections', text))
    expect(idsOn('connections', next.text).slice(0, 20)).toEqual(unchanged.slice(50, 70))
  })

  test('a filter keeps the order', async () => {
    const { text } = await world.open(viewer, '/connections?order=-app')

    expect(text).toMatch(
      /<form class="filters".*<select name="order"><option value="">Newest first<\/option>.*<option value="-app" selected>/s,
    )
  })

  test('the heads of the columns link to their orders', async () => {
    const heads = async (path: string) =>
      [
        ...(await world.open(viewer, path)).text.matchAll(
          /<th scope="col"[^>]*?(?: aria-sort="(\w+)")?><a href="([^"]+)">([^<]+)/g,
        ),
      ].map(([, direction, href, label]) => [label, direction, href])

    expect(await heads('/connections?tenant=acme&order=app&cursor=con_9001~alpha')).toEqual([
      ['App', 'ascending', '/support/connections?tenant=acme&amp;order=-app'],
      ['Person', undefined, '/support/connections?tenant=acme&amp;order=person'],
      ['Tenant', undefined, '/support/connections?tenant=acme&amp;order=tenant'],
      ['Status', undefined, '/support/connections?tenant=acme&amp;order=state'],
      ['Since', undefined, '/support/connections?tenant=acme&amp;order=-changed'],
      ['Created', undefined, '/support/connections?tenant=acme'],
    ])
    expect(await heads('/links')).toEqual([
      ['App', undefined, '/support/links?order=app'],
      ['Person', undefined, '/support/links?order=person'],
      ['Tenant', undefined, '/support/links?order=tenant'],
      ['Status', undefined, '/support/links?order=state'],
      ['Started', 'descending', '/support/links?order=oldest'],
    ])
  })

  test.each(['con_9001~', 'con_9001~never', 'con_9001~99999999999999999', 'con_9001'])(
    'a list ignores the cursor %s of another order and begins at its start',
    async (cursor) => {
      const { status, text } = await world.open(viewer, `/connections?order=changed&cursor=${cursor}`)

      expect(status).toBe(200)
      expect(idsOn('connections', text)[0]).toBe('con_9001')
    },
  )
})

const idsOn = (list: string, text: string) =>
  [...text.matchAll(new RegExp(`<span><a href="/support/${list}/(\\w+)"`, 'g'))].map(([, id]) => id)

const nextOf = (text: string) => /href="\/support([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')

async function allPages(path: string): Promise<string[]> {
  const { text } = await world.open(viewer, path)
  const next = nextOf(text)
  return [text, ...(next ? await allPages(next) : [])]
}

test.each(['connections', 'links'])('%s begin with the app and the user', async (list) => {
  const { text } = await world.open(viewer, `/${list}?order=oldest`)

  expect(text).toContain('href="/support/tenants/acme/users?id=%3Dcmd%7Ccalc"')
  expect(text).toMatch(/<span class="app-icon".*?<a href="[^"]+">Provider<\/a>/s)
})

test('the filter suggests tenants by name, and only apps in use', async () => {
  const { text } = await world.open(viewer, '/connections')

  expect(text).toContain('<option value="acme" label="Acme">')
  const [, apps = ''] = /<datalist id="list-integration">(.*?)<\/datalist>/s.exec(text) ?? []
  expect([...apps.matchAll(/value="([^"]+)"/g)].map(([, name]) => name)).toEqual(['Provider'])
})

test('an app is found by its display name', async () => {
  const { text } = await world.open(viewer, '/connections?integration=PROVIDER&order=oldest')

  expect(text).toContain(`/support/connections/${linked.connection.id}`)
})

test('a list on one page has no pager', async () => {
  expect((await world.open(viewer, '/webhooks')).text).not.toContain('aria-label="Pages"')
})

// Lists of the console by day, and as files.
import { afterAll, beforeAll, expect, test } from 'vitest'
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
  expect(those.text).toContain('<option value="provider" selected>')
  expect(those.text).toContain(`href="/support/${list}.csv?integration=provider"`)
  expect(file.text).toContain(id)
  // An address that was kept stays true when its integration is gone.
  expect(others.text).toContain('<option value="gone" selected>')
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
  expect(text).toContain('<label>Tenant ID<input name="tenant" value="acme">')
})

test.each(['connections', 'links', 'audit'])('%s with a reversed date range are explained', async (list) => {
  const { text } = await world.open(viewer, `/${list}?from=2026-02-01&to=2026-01-01`)

  expect(text).toContain('The first day is after the last one.')
})

test.each(['connections', 'links'])(
  '%s say what they are sorted by, and no browser fills in an old filter',
  async (list) => {
    const { text } = await world.open(viewer, `/${list}`)

    expect(text).toContain('Sorted by creation, newest first')
    expect(text).toContain('<form class="filters" method="get" autocomplete="off">')
  },
)

test('the ID of a request without entries is distinguished from a malformed one', async () => {
  const id = (await world.open(viewer, '/account')).headers.get('x-request-id')

  const { text } = await world.open(viewer, `/search?q=${id}`)

  expect(text).toContain('This request changed nothing that is on record')
  expect(text).not.toContain('IDs must be complete')
})

test('the connections of a campaign name their order', async () => {
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

  expect(text).toMatch(/order-1<.*order-2<.*Oldest connection first/s)
  expect(text).not.toContain('Newest first')
})

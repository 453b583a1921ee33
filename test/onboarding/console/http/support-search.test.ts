import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuditAction, auditActions } from '../../../../src/onboarding/domain/audit/audit-actions.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let browser: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  browser = await world.signIn(people.viewer)
})

afterAll(() => world.close())

const openSearch = (text: string) => world.open(browser, `/search?q=${encodeURIComponent(text)}`)

/** The results, or the page of the only person meant. */
const search = async (text: string) => (await browser.follow(await openSearch(text))).text

async function link(endUser: { id: string; email?: string }) {
  const minted = await world.mint({ endUser })
  return (await world.complete(minted, (await world.consent(minted)).query)).body
}

/** Starts links and abandons them. */
async function leaveUnfinished(endUser: { id: string; email: string }, times: number) {
  for (let time = 0; time < times; time++) {
    const minted = await world.mint({ endUser })
    if (time % 2 === 0) await world.untilCallback(minted)
  }
}

test('a user with thirty abandoned links is found by email address and by ID', async () => {
  const endUser = { id: 'Often-1', email: 'often@acme.example' }
  await leaveUnfinished(endUser, 30)
  const { connection } = await link(endUser)
  await leaveUnfinished(endUser, 30)

  const pages = await Promise.all(['often@acme.example', 'OFTEN@ac', 'often-1', 'Often-1'].map(search))

  for (const page of pages) expect(page).toContain(`href="/support/connections/${connection.id}"`)
})

test('the newest abandoned link is listed first', async () => {
  const endUser = { id: 'newest-1', email: 'newest@acme.example' }
  await leaveUnfinished(endUser, 60)
  const { rows } = await world.sql.query(
    `select id from links where end_user ->> 'id' = 'newest-1' order by id desc limit 12`,
  )

  const page = await search('newest@acme')

  expect([...page.matchAll(/href="\/support\/links\/(lnk_\w+)"/g)].map(([, id]) => id)).toEqual(
    rows.map(({ id }) => id),
  )
})

test('a user without an email address is found by ID, also without a session', async () => {
  const { connection } = await link({ id: 'Plain-7' })
  await world.sql.query(
    `update connect_sessions set end_user = '{"id": "forgotten"}' where end_user ->> 'id' = 'Plain-7'`,
  )

  expect(await search('plain-7')).toContain(`href="/support/connections/${connection.id}"`)
})

test.each<[string, AuditAction, () => Promise<unknown>]>([
  ['a created session', 'session.minted', () => world.mint()],
  ['a rejected callback', 'callback.rejected', () => fetch(`${world.url}/oauth/callback/provider?state=none&code=x`)],
])('the ID of a request finds its entries: %s', async (_, action, make) => {
  await make()
  const { rows } = await world.sql.query('select request_id from audit where action = $1 order by id desc', [action])
  const id = rows[0].request_id

  const page = await search(` ${id} `)

  const words = `<summary>${auditActions[action].words}</summary>`
  expect(page).toContain(words)
  expect(page).toContain(`href="/support/audit?requestId=${id}"`)
  expect((await world.open(browser, `/audit?requestId=${id}`)).text).toContain(words)
})

test.each([
  ['the name of its app', 'name', 'tide-calendar-x1y2', ['Tide Cal', 'tide-calendar', 'tide-calendar-x1y2']],
  ['a workspace', 'workspace', 'Harbour-North-7', ['harb', 'HARBOUR-north-7', 'Harbour-North-7']],
  ['an account label', 'account_label', 'Kim@Vendor.example', ['kim@', 'KIM@vendor', 'Kim@Vendor.example']],
  ['an upstream account ID', 'account_id', 'U07QX9', ['u07', 'U07QX9', 'u07qx9']],
])('a connection is found by the prefix of %s, in any letter case', async (_, column, value, texts) => {
  const { connection } = await link({ id: `by-${column}` })
  await world.sql.query(`update connections set ${column} = $2 where id = $1`, [connection.id, value])

  const pages = await Promise.all(texts.map(search))

  for (const page of pages) expect(page).toContain(`href="/support/connections/${connection.id}"`)
})

test('a tenant and its connections are found by the prefix of its ID, name or workspace', async () => {
  const tenant = { workspace: 'quay-9', displayName: 'Bright Harbour', returnUrls: ['https://b.example/'] }
  await world.api('PUT', '/tenants/brightly', tenant)
  const { connection } = await link({ id: 'user-of-brightly' })
  await world.sql.query("update connections set tenant = 'brightly' where id = $1", [connection.id])

  const pages = await Promise.all(['brigh', 'BRIGHTLY', 'bright harb', 'quay', 'Quay-9'].map(search))

  for (const page of pages) expect(page).toContain('href="/support/tenants/brightly"')
  for (const page of pages.slice(0, 2)) expect(page).toContain(`href="/support/connections/${connection.id}"`)
})

const breakConnection = (id: string) =>
  world.sql.query(`update connections set status = 'needs_relink', cause = 'grant_revoked' where id = $1`, [id])

test.each(['planner@acme.example', 'PLANNER@acme.example', 'Planner-1'])(
  '%s redirects to the page of the only matching person',
  async (text) => {
    await link({ id: 'Planner-1', email: 'planner@acme.example' })

    const { status, headers } = await openSearch(text)

    expect(status).toBe(303)
    expect(headers.get('location')).toBe('/support/tenants/acme/users?id=Planner-1')
  },
)

test('lists two people with one email address, and suggestions never redirect', async () => {
  await link({ id: 'twin-1', email: 'twin@acme.example' })
  await link({ id: 'twin-2', email: 'twin@acme.example' })

  const both = await openSearch('twin@acme.example')
  const suggested = await world.open(browser, '/search?suggest=yes&q=twin-1')

  expect(both.text).toMatch(/users\?id=twin-1".*users\?id=twin-2"/s)
  expect(suggested.text).toContain('href="/support/tenants/acme/users?id=twin-1"')
})

test('lists people first, those with broken connections before others, and broken connections before active ones', async () => {
  const endUsers = ['rank-1', 'rank-2', 'rank-3'].map((id) => ({ id }))
  const links = await Promise.all(endUsers.map(link))
  await breakConnection(links[1].connection.id)

  const page = await search('rank-')

  const found = [...page.matchAll(/<a href="\/support\/(?:tenants\/acme\/users\?id=|connections\/)([\w-]+)">/g)]
  const ids = found.map(([, id]) => id)
  expect(ids.slice(0, 3)).toEqual(['rank-2', 'rank-1', 'rank-3'])
  expect(ids[3]).toBe(links[1].connection.id)
  expect(page).toContain('1 to reconnect')
})

test('the search page keeps the text', async () => {
  expect((await openSearch('nobody')).text).toContain('name="q" value="nobody"')
})

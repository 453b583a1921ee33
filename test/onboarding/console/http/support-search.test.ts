// Whatever a person was told leads to what it is about.
import { afterAll, beforeAll, expect, test } from 'vitest'
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

const search = async (text: string) => (await world.open(browser, `/search?q=${encodeURIComponent(text)}`)).text

async function link(endUser: { id: string; email?: string }) {
  const minted = await world.mint({ endUser })
  return (await world.complete(minted, (await world.consent(minted)).query)).body
}

/** Begun, and left at that: as often as somebody had to try. */
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

  const page = await search('newest@acme.example')

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

test.each([
  ['a session that was minted', 'session.minted', () => world.mint()],
  [
    'a callback that was refused',
    'callback.rejected',
    () => fetch(`${world.url}/oauth/callback/provider?state=none&code=x`),
  ],
])('the ID of a request finds its entries: %s', async (_, action, make) => {
  await make()
  const { rows } = await world.sql.query('select request_id from audit where action = $1 order by id desc', [action])
  const id = rows[0].request_id

  const page = await search(` ${id} `)

  expect(page).toContain(`<small class="quiet">${action}</small>`)
  expect(page).toContain(`href="/support/audit?requestId=${id}"`)
  expect((await world.open(browser, `/audit?requestId=${id}`)).text).toContain(`<small class="quiet">${action}</small>`)
})

test.each([
  ['a workspace', 'workspace', 'Harbour-North-7', ['harb', 'HARBOUR-north-7', 'Harbour-North-7']],
  ['an account label', 'account_label', 'Kim@Vendor.example', ['kim@', 'KIM@vendor', 'Kim@Vendor.example']],
  ['an account’s own id', 'account_id', 'U07QX9', ['u07', 'U07QX9', 'u07qx9']],
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

import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld()
  agent = await world.signIn(people.agent)
})
afterAll(() => world.close())

async function link(endUser: { id: string; email?: string }) {
  const minted = await world.mint({ endUser })
  return (await world.complete(minted, (await world.consent(minted)).query)).body
}

const breakConnection = (id: string) =>
  world.sql.query(
    `update connections set status = 'needs_relink', cause = 'grant_revoked', status_since = now() where id = $1`,
    [id],
  )

const personPage = async (id: string, browser = agent) =>
  (await world.open(browser, `/tenants/acme/users?id=${encodeURIComponent(id)}`)).text

test('shows broken accounts first, with one action that leads to the form of the reconnect link', async () => {
  const endUser = { id: 'Bookkeeper/1', email: 'bookkeeper@acme.example' }
  const broken = await link(endUser)
  const active = await link(endUser)
  await breakConnection(broken.connection.id)

  const text = await personPage(endUser.id)

  expect(text).toContain('<h1>bookkeeper@acme.example</h1>')
  expect(text).toContain('<small class="machine">Bookkeeper/1</small>')
  const accounts = [...text.matchAll(/href="\/support\/connections\/(con_\w+)"/g)].map(([, id]) => id)
  expect(accounts).toEqual([broken.connection.id, active.connection.id])
  expect(text).toContain(
    `<a role="button" href="/support/connections/${broken.connection.id}#act">Create reconnect link</a>`,
  )
  expect(text.match(/role="button"/g)).toHaveLength(1)
  expect(await personPage(endUser.id, await world.signIn(people.viewer))).not.toContain('role="button"')
})

test('shows attempts newest first, and what the user last saw', async () => {
  const endUser = { id: 'attempts-1' }
  const first = await link(endUser)
  const minted = await world.mint({ endUser })
  await world.untilCallback(minted)
  const { rows } = await world.sql.query(`select id from links where end_user ->> 'id' = $1 order by id desc`, [
    endUser.id,
  ])
  await world.sql.query(`update links set state = 'failed', cause = 'scope_missing', due_at = null where id = $1`, [
    rows[0].id,
  ])

  const text = await personPage(endUser.id)

  const attempts = text.slice(text.indexOf('id="attempts"'), text.indexOf('id="seen"'))
  expect([...attempts.matchAll(/href="\/support\/links\/(lnk_\w+)"/g)].map(([, id]) => id)).toEqual([
    rows[0].id,
    first.id,
  ])
  expect(text).toMatch(/What they last saw<\/h2>\s*<p><strong>Some permissions/)
})

test('lists open reconnect links, and the action mentions them', async () => {
  const endUser = { id: 'open-1', email: 'open@acme.example' }
  const { connection } = await link(endUser)
  await breakConnection(connection.id)
  await world.send(agent, `/connections/${connection.id}/relink`, { days: '3', reason: 'ticket 1' })

  const text = await personPage(endUser.id)

  expect(text).toContain(`<a href="/support/connections/${connection.id}#addresses">Reconnect: `)
  expect(text).toContain('Create another reconnect link')
})

test('a user with the same ID at another tenant is another person', async () => {
  await world.api('PUT', '/tenants/other', {
    workspace: 'other',
    displayName: 'Other',
    returnUrls: ['https://o.example/'],
  })
  await link({ id: 'same-id' })

  expect((await world.open(agent, '/tenants/other/users?id=same-id')).status).toBe(404)
  expect((await world.open(agent, '/tenants/acme/users?id=SAME-ID')).status).toBe(404)
})

test('pages of connections and links link to the person', async () => {
  const { id, connection } = await link({ id: 'from-pages' })

  const pages = await Promise.all(
    [`/connections/${connection.id}`, `/links/${id}`].map((path) => world.open(agent, path)),
  )

  for (const { text } of pages) expect(text).toContain('href="/support/tenants/acme/users?id=from-pages"')
})

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { people } from '../../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let admin: HttpBrowser
let agent: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld({ integration: { displayName: 'Postbox' } })
  ;[admin, agent] = [await world.signIn(people.admin), await world.signIn(people.agent)]
})
afterEach(() => world.sql.query("update connections set status = 'disconnected', cause = null"))
afterAll(() => world.close())

type Broken = { cause: string; count: number; integration?: string; tenant?: string }

let made = 0

/** Connections that have to be reconnected, of which it is known whose account they are. */
const addBroken = ({ cause, count, integration = 'provider', tenant = 'acme' }: Broken) =>
  world.sql.query(
    `insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
      cause, end_user_id, account_id)
    select 'con_' || $1 || 'n' || n, $2, 'acme', $3, 'broken-' || $1 || n, 'broken-' || n, 'https://x.example', '{}',
      'needs_relink', $4, 'u', 'account-' || n
    from generate_series(1, $5::int) as n`,
    [`broken${++made}`, tenant, integration, cause, count],
  )

const causesIn = (text: string) =>
  [...text.matchAll(/<td><a href="(\/support\/campaigns\/new[^"]*)">([^<]+)<\/a><\/td><td>([^<]+)</g)].map(
    ([, href = '', title, count]) => ({ href: href.replace('/support', '').replaceAll('&amp;', '&'), title, count }),
  )

test('offers the current causes of connections with their counts', async () => {
  await addBroken({ cause: 'grant_revoked', count: 1 })
  await addBroken({ cause: 'client_rejected', count: 3 })
  const start = (await world.open(admin, '/campaigns')).text

  const offered = causesIn((await world.open(admin, '/campaigns/new?tenant=&integration=&days=3')).text)
  const next = await world.open(admin, offered[0]?.href ?? '')

  expect(start).not.toContain('name="cause"')
  expect(offered.map(({ title, count }) => [title, count])).toEqual([
    ['The app rejected our OAuth client', '3 connections'],
    ['Access was revoked', 'One connection'],
  ])
  expect(next.text).toMatch(/3 connections \(all tenants\) would get a reconnect link[\s\S]*name="days" value="3"/)
})

test.each([
  ['of one tenant', 'tenant=acme', ['The app rejected our OAuth client']],
  ['of one integration', 'integration=mail', ['Access was revoked']],
  ['of nobody', 'tenant=acme&integration=mail', []],
])('causes %s exclude all others', async (_, query, titles) => {
  await world.api('PUT', '/tenants/other', { workspace: 'other', displayName: 'Other', returnUrls: [] })
  await addBroken({ cause: 'client_rejected', count: 1 })
  await addBroken({ cause: 'grant_revoked', count: 2, tenant: 'other', integration: 'mail' })

  const { text } = await world.open(admin, `/campaigns/new?${query}`)

  expect(causesIn(text).map(({ title }) => title)).toEqual(titles)
  expect(text.includes('No connections to reconnect')).toBe(titles.length === 0)
})

test('shows an integration by name, or by ID if it is no longer configured', async () => {
  await addBroken({ cause: 'grant_revoked', count: 1 })
  await addBroken({ cause: 'grant_revoked', count: 1, integration: 'gone' })
  const preview = await world.open(admin, '/campaigns/new?cause=grant_revoked&integration=provider')
  const causes = await world.open(admin, '/campaigns/new?integration=gone')
  const connections = await world.open(admin, '/connections?status=needs_relink')
  const fields = { cause: 'grant_revoked', integration: 'provider', reason: 'ticket 1' }

  const started = await admin.follow(await world.send(admin, '/campaigns', fields))
  const list = await world.open(admin, '/campaigns')

  expect(preview.text).toContain('One connection (Postbox) would get')
  expect(causes.text).toContain('Why connections (gone) have to be')
  expect(connections.text).toMatch(/<a href="[^"]+">Postbox<\/a>/)
  expect(connections.text).toMatch(/<a href="[^"]+">gone<\/a>/)
  expect(started.text).toMatch(
    /0 of 1 reconnected; Postbox, expires[\s\S]*<a href="\/support\/connections\/[^"]+">Postbox<\/a>/,
  )
  expect(list.text).toMatch(/<small>Postbox, \d+ s ago/)
})

test('users without permission see who can start a campaign, and their own options', async () => {
  await addBroken({ cause: 'grant_revoked', count: 1 })
  const viewer = await world.signIn(people.viewer)
  const about = 'cause=grant_revoked&tenant=acme'

  const [list, preview, looked] = await Promise.all([
    world.open(agent, '/campaigns'),
    world.open(agent, `/campaigns/new?${about}`),
    world.open(viewer, `/campaigns/new?${about}`),
  ])

  for (const { text } of [list, preview]) {
    expect(text).toContain('Only admins can start campaigns; your role is agent. Ask a colleague who is an admin')
  }
  expect(list.text).toContain('<a href="/support/connections?status=needs_relink">open one that needs it</a>')
  expect(preview.text).toContain('send them the address of this page')
  const connections = `/support/connections?status=needs_relink&amp;${about.replace('&', '&amp;')}`
  expect(preview.text).toContain(`<a href="${connections}">open one that needs it</a>`)
  expect(looked.text).toContain(`<a href="${connections}">View the connections that need it</a>`)
  expect([preview.text, looked.text].join()).not.toContain('Create links')
})

test('an admin sees how many connections a campaign includes, and can cancel it', async () => {
  await addBroken({ cause: 'code_refused', count: 2 })
  await addBroken({ cause: 'consent_failed', count: 5007 })
  const fields = { cause: 'code_refused', tenant: 'acme', integration: '', days: '3' }
  const query = new URLSearchParams(fields)

  const few = await world.open(admin, `/campaigns/new?${query}`)
  const many = await world.open(admin, '/campaigns/new?cause=consent_failed&tenant=&integration=')
  const started = await admin.follow(await world.send(admin, '/campaigns', { ...fields, reason: 'ticket 1' }))
  const none = await world.open(admin, `/campaigns/new?${query}`)
  const [, id] = /(cmp_\w+)/.exec((await world.open(admin, '/campaigns')).text) ?? []
  const page = await world.open(admin, `/campaigns/${id}`)
  const files = [1, 2].map(() => world.open(admin, `/campaigns/${id}/links.csv`))
  const [file, sameFile] = (await Promise.all(files)).map(({ text }) => text)
  const refused = await world.send(agent, `/campaigns/${id}/cancel`, { reason: 'ticket 2' })
  const unsaid = await world.send(admin, `/campaigns/${id}/cancel`, { reason: '' })
  const cancelled = await admin.follow(await world.send(admin, `/campaigns/${id}/cancel`, { reason: 'ticket 2' }))
  const again = await world.open(admin, `/campaigns/new?${query}`)

  expect(few.text).toContain('2 connections (acme) would get a reconnect link')
  expect(few.text).not.toContain('Too many for one campaign')
  expect(many.text).toMatch(/5007 connections[\s\S]*The first 5000 get a link now\.[\s\S]*for the other 7;/)
  expect(file).toMatch(/^connectionId,connectionName,tenantId,integrationId,endUserId,accountLabel,url,expiresAt\r\n/)
  expect(sameFile).toBe(file)
  expect(started.text).toContain('The campaign has started.')
  expect(page.text).toContain(`href="/support/campaigns/${id}/links.csv"`)
  expect(cancelled.text).not.toContain('links.csv')
  expect(none.text).toMatch(/0 connections[\s\S]*Cancel it on the campaign’s page/)
  expect(page.text).toContain('Cancel campaign')
  expect([refused.status, unsaid.status]).toEqual([403, 422])
  expect(cancelled.text).toMatch(/cancelled \d+ s ago/)
  expect(cancelled.text).toContain('Unused links no longer work')
  expect(cancelled.text).not.toContain('Cancel campaign')
  expect(again.text).toContain('2 connections')
})

test('cancelling also covers links whose first attempt failed, and is only offered while it has an effect', async () => {
  await world.sql.query(`
    insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
      cause, end_user_id, account_id)
    values ('con_failed', 'acme', 'acme', 'provider', 'failed', 'failed', 'https://x.example', '{}', 'needs_relink',
      'code_refused', 'u', 'a')`)
  await world.send(admin, '/campaigns', { cause: 'code_refused', reason: 'ticket 1' })
  await world.sql.query(`
    insert into links (id, session_id, tenant, workspace, integration, end_user, browser, state, connection_id,
      connection_name, function_name, relink)
    select 'lnk_failed', id, tenant, 'acme', integration, end_user, '', 'denied', connection_id, 'failed', 'failed', true
    from connect_sessions where connection_id = 'con_failed'`)
  const [, id] = /(cmp_\w+)/.exec((await world.open(admin, '/campaigns')).text) ?? []

  const page = await world.open(admin, `/campaigns/${id}`)
  const cancelled = await admin.follow(await world.send(admin, `/campaigns/${id}/cancel`, { reason: 'ticket 2' }))

  expect(page.text).toContain('Cancel campaign')
  expect(cancelled.text).toMatch(/>Failed</)
  expect(cancelled.text).not.toContain('Cancel campaign')
})

test('a campaign reports and omits links that would not work, and asks whether the operator has acted', async () => {
  await world.sql.query(`
    insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status,
      cause, end_user_id, account_id)
    values ('con_clientless', 'acme', 'acme', 'gone', 'clientless', 'clientless', 'https://x.example', '{}',
      'needs_relink', 'client_rejected', 'u', 'a')`)

  const page = await world.open(admin, '/campaigns/new?cause=client_rejected&integration=gone')
  const refused = await world.send(admin, '/campaigns', {
    cause: 'client_rejected',
    integration: 'gone',
    reason: 'r 1',
  })
  await world.sql.query("update connections set integration = 'provider' where id = 'con_clientless'")
  const linkable = await world.open(admin, '/campaigns/new?cause=client_rejected&integration=provider')

  expect(page.text).toMatch(/0 connections[\s\S]*Left out: no OAuth client[\s\S]*gone \(1\)/)
  expect(page.text).not.toContain('Create links')
  expect(refused.status).toBe(409)
  expect(linkable.text).toMatch(/One connection[\s\S]*Has the operator fixed this\?[\s\S]*Create links/)
  expect(linkable.text).not.toContain('Left out')
})

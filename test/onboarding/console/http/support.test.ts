import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { waitFor } from '../../../support/oracles/wait-for.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'
import { startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: ConsoleWorld
let browser: HttpBrowser
let connection: { id: string; name: string }

beforeAll(async () => {
  world = await startConsoleWorld({
    env: { PLATFORM_CONSOLE_URL: 'https://platform.example', VERIFY_FUNCTIONS: 'true' },
  })
  await world.linkHonestly()
  connection = (await world.api('GET', '/connections')).body.data[0]
  browser = await world.signIn(people.agent)
})

afterAll(() => world.close())

const read = async (path: string) => (await world.open(browser, path)).text

describe('search', () => {
  test.each([
    ['a tenant', () => 'acm'],
    ['its name in uppercase', () => 'ACME'],
    ['a connection’s name', () => connection.name],
    ['the prefix of a name', () => connection.name.slice(0, 6)],
    ['a connection ID', () => connection.id],
    ['an end user', () => 'user-1'],
    ['an end user’s email address', () => 'User@Acme.example'],
    ['an upstream account', () => 'first@provider'],
  ])('finds a connection by %s', async (_, textOf) => {
    const found = await world.open(browser, `/search?q=${encodeURIComponent(textOf())}`)
    // An exact name of one person leads to their page.
    const { text } = await browser.follow(found)

    expect(text).toMatch(new RegExp(`href="/support/connections(/${connection.id}|\\?tenant=acme)"`))
  })

  test('finds the results of a request by its ID', async () => {
    const { rows } = await world.sql.query("select request_id from audit where action = 'link.started' limit 1")

    expect(await read(`/search?q=${rows[0].request_id}`)).toContain(`/support/connections/${connection.id}`)
  })

  test('finds a connection by its workspace', async () => {
    await world.sql.query("update connections set workspace = 'harbour-7'")
    const found = await read('/search?q=harbour-7')
    await world.sql.query("update connections set workspace = 'acme'")

    expect(found).toContain(`href="/support/connections/${connection.id}"`)
  })

  test('finds links without a connection by user and ID', async () => {
    const minted = await world.mint({ endUser: { id: 'user-2', email: 'second@acme.example' } })
    world.provider.misbehave({ callback: { code: undefined, error: 'access_denied' } })
    await world.consent(minted)
    world.provider.calm()
    const { body } = await world.api('GET', `/connect-sessions/${minted.id}`)

    const pages = await Promise.all(['second@', body.linkId, minted.id].map((text) => read(`/search?q=${text}`)))

    for (const page of pages) expect(page).toContain(`href="/support/links/${body.linkId}"`)
  })

  test.each(['%', '_', '\\', "'; drop table links; --", '100%', '\u{10ffff}', '   '])(
    'treats %j as plain text',
    async (text) => {
      const visited = await world.open(browser, `/search?q=${encodeURIComponent(text)}`)

      expect(visited.status).toBe(200)
      expect(visited.text).not.toContain(`/support/connections/${connection.id}`)
    },
  )
})

test('the overview groups problems by cause, with whose move it is and a link', async () => {
  await world.sql.query("update connections set status = 'needs_relink', cause = 'grant_revoked'")
  const text = await read('/')
  const [, list] = /href="(\/support\/connections\?status=needs_relink[^"]*)"/.exec(text) ?? []
  const listed = await world.open(browser, (list ?? '').replace('/support', '').replaceAll('&amp;', '&'))
  const page = await read(`/connections/${connection.id}`)
  await world.sql.query("update connections set status = 'active', cause = null")

  expect(text).toContain('Access was revoked')
  expect(text).toMatch(/Action needed from <\/span><span class="badge"[^>]*>User</)
  expect(listed.text).toContain(connection.name)
  expect(page).toContain('Reconnect needed')
  // From there to what else the tenant has.
  expect(page).toContain('<a href="/support/tenants/acme">')
})

test('the page of a broken connection shows when it broke', async () => {
  await world.sql.query(
    "update connections set status = 'needs_relink', cause = 'grant_revoked', status_since = '2026-03-01T08:30:15Z'",
  )
  const broken = await read(`/connections/${connection.id}`)
  await world.sql.query("update connections set status = 'active', cause = null")

  expect(broken).toMatch(
    /Broken since <time datetime="2026-03-01T08:30:15.000Z">2026-03-01 08:30:15 UTC<\/time> \(\d+ days ago\)/,
  )
  expect(await read(`/connections/${connection.id}`)).not.toContain('Broken since')
})

test('the overview counts links by day and names the service that does not respond', async () => {
  const today = () => new Date().toISOString().slice(0, 10)
  const before = today()
  await world.platform.close()
  // Each part has half a second to answer, which a busy machine does not always keep.
  const text = await waitFor('the database answers', async () => {
    const seen = await read('/')
    return /data-status="linked">Database/.test(seen) && seen
  })

  expect(text).toMatch(/data-status="failed">Platform<\/span><span>Not responding/)
  expect(text).toMatch(/data-status="linked">Database<\/span><span>OK/)
  expect([before, today()].some((day) => text.includes(day))).toBe(true) // the day may have turned
})

test('the page of a connection shows its whole timeline', async () => {
  const text = await read(`/connections/${connection.id}`)

  expect(text).toContain('first@provider.example')
  const steps = timelineIn(text)
  expect(steps.map(({ label }) => label)).toEqual([
    'Opened and sent to the app for consent',
    'Consent given, waiting for the tenant',
    'Token requested',
    'Token response received and sealed',
    'Connection and function created on the platform',
    'Linked, and the function responded over MCP',
  ])
  for (const { requestId, took } of steps.slice(1)) {
    expect([requestId, took]).toEqual([expect.stringMatching(/^req_/), expect.stringMatching(/^\+\d/)])
  }
  expect(text).toContain(`https://platform.example/billing/workspaces/acme/functions/${connection.name}`)
})

test('the page of a connection shows scopes, health and grants by fingerprint', async () => {
  await world.sql.query("update connections set scopes = '{openid,email,files.delete}'")
  await world.sql.query(
    `insert into health_checks (connection_id, outcome, cause, duration_ms, actor_kind) values
       ($1, 'broken', 'grant_revoked', 1500, 'worker'), ($1, 'healthy', null, 40, 'support')`,
    [connection.id],
  )
  const { rows } = await world.sql.query('select fingerprint from stored_grants')

  const text = await read(`/connections/${connection.id}`)

  expect(rows[0].fingerprint).toMatch(/\w{8}/)
  expect(text).toMatch(/Not granted<\/strong><p><code>files\.read<\/code>/)
  expect(text).toMatch(/Granted but not requested<\/strong><p><code>files\.delete<\/code> <\/p>/)
  expect(text).toContain('OAuth client that all tenants without one of their own share')
  expect(text).toMatch(/<ul class="permissions">.*<code>openid<\/code>.*<code>email<\/code>/s)
  expect(text).toMatch(new RegExp(`Current</dt><dd><code>${rows[0].fingerprint}</code>`))
  for (const { token } of world.provider.issued) expect(text).not.toContain(token)
  expect(text).toMatch(/Healthy<\/strong>.*by support, took 40 ms/s)
  expect(text).toMatch(/Broken: Access was revoked<\/strong>.*checked automatically, took 1\.5 s/s)
})

test('the page of an unfinished link shows which resources exist', async () => {
  const { rows } = await world.sql.query(
    "update links set state = 'needs_attention', resume_from = 'connection_ready' where state = 'linked' returning id",
  )

  const text = await read(`/links/${rows[0].id}`)
  await world.sql.query("update links set state = 'linked', resume_from = null where id = $1", [rows[0].id])

  expect(text).toMatch(/<strong>1 of 2<\/strong>\. The connection exists, the function doesn’t yet/)
})

test('paging through a list shows each row once', async () => {
  await world.sql.query(`insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status, end_user_id)
    select 'con_0' || lpad(n::text, 4, '0'), 'acme', 'acme', 'provider', 'many-' || n, 'f', 'https://f.example', '{}', 'active', 'u'
    from generate_series(1, 120) n`)
  const names: string[] = []
  let next: string | undefined = '/connections?tenant=acme'
  while (next) {
    const text = await read(next)
    names.push(
      ...[...text.matchAll(/<small class="machine extra">([^<]+)<\/small><\/span>/g)].map(([, name]) => name ?? ''),
    )
    next = /href="\/support(\/connections\?[^"]*cursor=[^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  await world.sql.query("delete from connections where name like 'many-%'")

  expect(names).toHaveLength(121)
  expect(new Set(names).size).toBe(121)
})

test('a later page links to the first one', async () => {
  const text = await read('/links?state=linked&cursor=lnk_zzz')

  expect(text).toContain('<a href="/support/links?state=linked">Back to start</a>')
  expect(text).toContain('<option value="linked" selected>Linked</option>')
})

test('the audit log is filtered by actor, action and time, and exported as CSV without formulas', async () => {
  const { rows: noted } = await world.sql.query(
    `insert into audit (action, facts, actor_kind, actor_id, reason)
     values ('disconnect.started', '{"detail": "=2+2"}', 'support', 'somebody@support.example', '=1+1,"x"') returning at`,
  )
  const today = noted[0].at.toISOString().slice(0, 10)

  const found = await read('/audit?actor=somebody@support.example&action=disconnect.started')
  const thatDay = await read(`/audit?action=disconnect.started&from=${today}&to=${today}`)
  const before = await read('/audit?action=disconnect.started&to=2020-01-01')
  const csv = await world.open(browser, '/audit.csv?action=disconnect.started')

  expect(found).toContain('somebody@support.example')
  expect(thatDay).toContain('<summary>Disconnect started</summary>')
  expect(before).toContain('No matching entries')
  expect(csv.headers.get('content-disposition')).toContain('attachment')
  expect(csv.text.split('\r\n')[1]).toContain(`"'=1+1,""x"""`)
  const { rows } = await world.sql.query("select actor_kind, facts from audit where action = 'audit.exported'")
  expect(rows).toEqual([{ actor_kind: 'support', facts: { format: 'csv', action: 'disconnect.started' } }])
})

test('an action of a person is audited, and found by their ID and name', async () => {
  const [before, after] = [{ ...people.agent, email: 'former@support.example' }, people.viewer]
  const renamed = await world.signIn(before)
  await world.open(renamed, '/audit.csv?action=key.revoked')
  const heir = await world.signIn({ ...after, email: before.email })
  await world.open(heir, '/audit.csv?action=key.revoked')
  await world.sql.query(
    `insert into audit (action, facts, actor_kind, actor_id)
     values ('audit.exported', '{"format": "csv"}', 'support', 'former@support.example')`,
  )

  const found = async (actor: string) =>
    (await world.api('GET', `/audit?action=audit.exported&actor=${actor}`)).body.data.map(
      (line: { actor: object }) => line.actor,
    )
  const lines = {
    heir: { kind: 'support', id: after.sub, name: before.email },
    former: { kind: 'support', id: before.sub, name: before.email },
    fromBefore: { kind: 'support', id: before.email },
  }

  expect(await found(before.email)).toEqual([lines.fromBefore, lines.heir, lines.former])
  expect(await found(after.sub)).toEqual([lines.heir])
  expect(await read(`/audit?actor=${after.sub}`)).toContain(before.email)
  const { rows } = await world.sql.query("select facts from audit where action = 'console.signed_in' order by id desc")
  expect(rows[0].facts).toEqual({ issuer: world.issuer.url, role: 'viewer', again: false })
})

test('an export is complete, however long the audit log is', async () => {
  await world.sql.query(
    "insert into audit (action, actor_kind) select 'webhook.enabled', 'worker' from generate_series(1, 10500)",
  )

  const { text } = await world.open(browser, '/audit.csv?action=webhook.enabled')

  expect(text.match(/webhook\.enabled/g)).toHaveLength(10_500)
})

test.each([
  '/connections?status=odd',
  '/links?cause=odd',
  '/audit?from=yesterday',
  '/audit?action=link.linkd',
  '/audit?cursor=x',
  '/connections?cursor=x',
  '/connections?tenant=a&tenant=b',
])('%s is rejected with an explanation', async (path) => {
  expect((await world.open(browser, path)).status).toBe(422)
})

test('without an issuer the console is off, and its URL explains it', async () => {
  const off = await startOnboarding()

  const answer = await fetch(`${off.url}/support`)
  const text = await answer.text()
  await off.close()

  expect([answer.status, text]).toEqual([404, expect.stringContaining('The support console is not set up')])
})

function timelineIn(html: string) {
  const items = [...html.matchAll(/<li data-state="\w+">.*?<\/li>/gs)].map(([item]) => item)
  return items.map((item) => ({
    label: /<\/time>\s*<span>([^<]+?)(?:: )?</.exec(item)?.[1],
    requestId: /<code>([^<]+)</.exec(item)?.[1],
    took: /class="took">([^<]*)/.exec(item)?.[1],
  }))
}

test.each(['/', '/search', '/connections', '/links', '/campaigns', '/webhooks', '/doctor', '/audit', '/account'])(
  '%s has one search field',
  async (path) => {
    const text = await read(path)

    expect(text.match(/<form class="search" method="get" action="\/support\/search" role="search">/g)).toHaveLength(1)
    expect(text.match(/name="q"/g)).toHaveLength(1)
  },
)

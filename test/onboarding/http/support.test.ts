import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { people } from '../../support/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts'
import type { HttpBrowser } from '../../support/http-browser.ts'
import { startOnboarding } from '../../support/onboarding-world.ts'

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
    ['its name in capitals', () => 'ACME'],
    ['a connection’s name', () => connection.name],
    ['the beginning of a name', () => connection.name.slice(0, 6)],
    ['a connection’s id', () => connection.id],
    ['an end user', () => 'user-1'],
    ['an end user’s e-mail address', () => 'User@Acme.example'],
    ['an upstream account', () => 'first@provider'],
  ])('finds a connection by %s', async (_, textOf) => {
    const text = await read(`/search?q=${encodeURIComponent(textOf())}`)

    expect(text).toMatch(new RegExp(`href="/support/connections(/${connection.id}|\\?tenant=acme)"`))
  })

  test('finds what a request did by the id that stands on every page', async () => {
    const { rows } = await world.sql.query("select request_id from audit where action = 'link.started' limit 1")

    expect(await read(`/search?q=${rows[0].request_id}`)).toContain(`/support/connections/${connection.id}`)
  })

  test('finds a connection by its workspace, whatever its tenant is called', async () => {
    await world.sql.query("update connections set workspace = 'harbour-7'")
    const found = await read('/search?q=harbour-7')
    await world.sql.query("update connections set workspace = 'acme'")

    expect(found).toContain(`href="/support/connections/${connection.id}"`)
  })

  test('finds links that made no connection, by their user and by their id', async () => {
    const minted = await world.mint({ endUser: { id: 'user-2', email: 'second@acme.example' } })
    world.provider.misbehave({ callback: { code: undefined, error: 'access_denied' } })
    await world.consent(minted)
    world.provider.calm()
    const { body } = await world.api('GET', `/connect-sessions/${minted.id}`)

    const pages = await Promise.all(['second@', body.link, minted.id].map((text) => read(`/search?q=${text}`)))

    for (const page of pages) expect(page).toContain(`href="/support/links/${body.link}"`)
  })

  test.each(['%', '_', '\\', "'; drop table links; --", '100%', '\u{10ffff}', '   '])(
    'takes %j for what it is: text, with no meaning in it',
    async (text) => {
      const visited = await world.open(browser, `/search?q=${encodeURIComponent(text)}`)

      expect(visited.status).toBe(200)
      expect(visited.text).not.toContain(`/support/connections/${connection.id}`)
    },
  )
})

test('the overview groups what needs somebody by cause, says whose move it is, and leads to it', async () => {
  await world.sql.query("update connections set status = 'needs_relink', cause = 'grant_revoked'")
  const text = await read('/')
  const [, list] = /href="(\/support\/connections\?status=needs_relink[^"]*)"/.exec(text) ?? []
  const listed = await world.open(browser, (list ?? '').replace('/support', '').replaceAll('&amp;', '&'))
  const page = await read(`/connections/${connection.id}`)
  await world.sql.query("update connections set status = 'active', cause = null")

  expect(text).toContain('Access was withdrawn')
  expect(text).toContain('The user’s move')
  expect(listed.text).toContain(connection.name)
  expect(page).toContain('Needs a re-link')
})

test('the overview counts links by day, and says which part does not answer', async () => {
  await world.platform.close()
  const text = await read('/')

  expect(text).toMatch(/data-status="failed">Platform<\/span><span>Does not answer/)
  expect(text).toMatch(/data-status="linked">Database<\/span><span>Answers/)
  expect(text).toContain(new Date().toISOString().slice(0, 10))
})

test('the page of a connection tells its whole story', async () => {
  const text = await read(`/connections/${connection.id}`)

  expect(text).toContain('first@provider.example')
  for (const step of [
    'Opened, and sent to consent',
    'Exchange: grant received',
    'Connection and function are on the platform',
    'Verified and linked',
  ]) {
    expect(text).toContain(step)
  }
  expect(text).toMatch(/<code>req_[\w-]+<\/code>/)
  expect(text).toContain(`https://platform.example/billing/workspaces/acme/functions/${connection.name}`)
})

test('the page of a connection says what is granted and missing, how it has been, and which grant by fingerprint alone', async () => {
  await world.sql.query("update connections set scopes = '{openid,email}'")
  await world.sql.query(
    `insert into health_checks (connection_id, outcome, cause, duration_ms, actor_kind) values
       ($1, 'broken', 'grant_revoked', 1500, 'worker'), ($1, 'healthy', null, 40, 'support')`,
    [connection.id],
  )
  const { rows } = await world.sql.query('select fingerprint from kept_grants')

  const text = await read(`/connections/${connection.id}`)

  expect(rows[0].fingerprint).toMatch(/\w{8}/)
  expect(text).toMatch(/Not granted<\/strong><p><code>files\.read<\/code>/)
  expect(text).toMatch(/<ul class="permissions">.*<code>openid<\/code>.*<code>email<\/code>/s)
  expect(text).toMatch(new RegExp(`In use</dt><dd><code>${rows[0].fingerprint}</code>`))
  for (const { token } of world.provider.issued) expect(text).not.toContain(token)
  expect(text).toMatch(
    /Works<\/span>.*40 ms.*by support.*Broken<\/span>.*Access was withdrawn.*1\.5 s.*in the background/s,
  )
})

test('lists are walked page by page, each thing once', async () => {
  await world.sql.query(`insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, status, end_user_id)
    select 'con_0' || lpad(n::text, 4, '0'), 'acme', 'acme', 'provider', 'many-' || n, 'f', 'https://f.example', '{}', 'active', 'u'
    from generate_series(1, 120) n`)
  const names: string[] = []
  let next: string | undefined = '/connections?tenant=acme'
  while (next) {
    const text = await read(next)
    names.push(...[...text.matchAll(/href="\/support\/connections\/con_\w+">([^<]+)</g)].map(([, name]) => name ?? ''))
    next = /href="\/support(\/connections\?[^"]*cursor=[^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  await world.sql.query("delete from connections where name like 'many-%'")

  expect(names).toHaveLength(121)
  expect(new Set(names).size).toBe(121)
})

test('the audit is filtered by who, what and when, and exported as CSV that no spreadsheet runs', async () => {
  await world.sql.query(
    "insert into audit (action, actor_kind, actor_id, reason) values ('test.noted', 'support', 'somebody@support.example', '=1+1,\"x\"')",
  )
  const today = new Date().toISOString().slice(0, 10)

  const found = await read('/audit?actor=somebody@support.example&action=test.noted')
  const thatDay = await read(`/audit?action=test.noted&from=${today}&to=${today}`)
  const before = await read('/audit?action=test.noted&to=2020-01-01')
  const csv = await world.open(browser, '/audit.csv?action=test.noted')

  expect(found).toContain('somebody@support.example')
  expect(thatDay).toContain('test.noted</strong>')
  expect(before).toContain('Nothing on record fits')
  expect(csv.headers.get('content-disposition')).toContain('attachment')
  expect(csv.text.split('\r\n')[1]).toContain(`"'=1+1,""x"""`)
  const { rows } = await world.sql.query("select actor_kind, after from audit where action = 'audit.exported'")
  expect(rows).toEqual([{ actor_kind: 'support', after: { action: 'test.noted' } }])
})

test('an export longer than a page of the record is whole', async () => {
  await world.sql.query(
    "insert into audit (action, actor_kind) select 'test.many', 'worker' from generate_series(1, 2500)",
  )

  const { text } = await world.open(browser, '/audit.csv?action=test.many')

  expect(text.match(/test\.many/g)).toHaveLength(2_500)
})

test.each([
  '/connections?status=odd',
  '/links?cause=odd',
  '/audit?from=yesterday',
  '/audit?cursor=x',
  '/connections?cursor=x',
  '/connections?tenant=a&tenant=b',
])('%s is refused with a page that says so', async (path) => {
  expect((await world.open(browser, path)).status).toBe(422)
})

test('without an issuer there is no console, and its address says so', async () => {
  const off = await startOnboarding()

  const answer = await fetch(`${off.url}/support`)
  const text = await answer.text()
  await off.close()

  expect([answer.status, text]).toEqual([404, expect.stringContaining('There is no support console here')])
})

// A browser that remembers an end user leads to a repair or an approval without another login, and to nothing else.
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { endUserCookies } from '../../../src/platform/identity/http/end-user-cookies.ts'
import { HttpBrowser, type Visit } from '../../support/http/http-browser.ts'
import { approvalWorld, type Called, codeOf } from '../../support/worlds/approval-world.ts'
import { callback } from '../../support/worlds/mcp-login-world.ts'
import { createResource } from '../../support/worlds/platform-world.ts'
import { productPage } from '../../support/worlds/repair-world.ts'

afterAll(() => world.close())

const world = await approvalWorld()
const { origin } = world
const first = await world.endUser('user-1')
const second = await world.endUser('user-2')

beforeEach(() => world.relink())

const cookie = 'function-user'

/** What the browser of a person keeps when the 15 minutes of the login are over. */
async function remembered(id: string, name = 'files'): Promise<HttpBrowser> {
  return browserWith(valueIn(await opened(id, name)))
}

async function opened(
  id: string,
  name = 'files',
  fields: Record<string, string> = { remember: 'on' },
  browser = new HttpBrowser(),
) {
  const { url } = await world.login({ id, label: `${id}@acme.example` }, name)
  await browser.post(url, fields)
  return browser
}

const valueIn = (browser: HttpBrowser): string =>
  new RegExp(`${cookie}=([^;]+)`).exec(browser.cookiesFor(`${origin}/oauth`))?.[1] ?? ''

function browserWith(value: string, name = cookie): HttpBrowser {
  const browser = new HttpBrowser()
  browser.keep(origin, [`${name}=${value}; Path=/`])
  return browser
}

type Failed = Called & { _meta?: { repairUrl?: string } }

async function failed(token: string): Promise<string> {
  const client = await world.connect(token)
  world.killGrant()
  return ((await client.callTool({ name: 'list_files', arguments: {} })) as Failed)._meta?.repairUrl ?? ''
}

let files = 0

async function waiting(token: string) {
  const call = { name: 'write_file', arguments: { path: `remembered-${++files}`, size: 1 } }
  const client = await world.connect(token)
  const asked = (await client.callTool(call)) as Called
  const repeat = async () => codeOf((await client.callTool(call)) as Called)
  return { url: asked._meta?.approvalUrl ?? '', repeat }
}

const ledTo = ({ status, headers }: Visit) => [status, headers.get('location')?.split('?')[0]]

describe('a remembered browser', () => {
  test('repairs without another login, and the product is told that there was none', async () => {
    const browser = await remembered('user-1')

    const visit = await browser.get(await failed(first.token))

    const ticket = new URL(visit.headers.get('location') ?? '').searchParams.get('ticket') ?? ''
    const { body } = await world.redeem(ticket).expect(200)
    expect(ledTo(visit)).toEqual([303, productPage])
    expect(body.caller).toEqual({ kind: 'end_user', endUserId: 'user-1', isRemembered: true })
  })

  test('allows a call, and the audit says that the person was remembered', async () => {
    const browser = await remembered('user-1')
    const { url, repeat } = await waiting(first.token)

    const asked = await browser.get(url)
    await world.decide(browser, url, 'once')

    const { rows } = await world.platform.pool.query(
      `select credential from audit_events where action = 'approval.allowed' order by id desc limit 1`,
    )
    expect(asked.text).toContain('user-1@acme.example')
    expect([await repeat(), rows[0]?.credential.split(':')[0]]).toEqual(['answered', 'browser'])
  })

  test('is remembered only if the person chose it, and until somebody opens a login there', async () => {
    const url = await failed(first.token)
    const browser = await opened('user-1')
    const before = valueIn(browser)
    await opened('user-1', 'files', {}, browser)

    const [chosen, stolen] = [valueIn(browser), await browserWith(before).get(url)]

    expect([before.length, chosen, stolen.status]).toEqual([43, '', 200])
    expect(stolen.text).toContain('Tell us who you are')
  })

  test('its cookie is kept from scripts, other sites and other hosts for 30 days', () => {
    const sent: unknown[] = []
    const response = { cookie: (...given: unknown[]) => sent.push(given) } as never

    endUserCookies('https://auth.example').give(response, 'remembered', 'value')

    const seconds = 30 * 86_400 * 1000
    const options = { httpOnly: true, sameSite: 'lax', secure: true, path: '/', maxAge: seconds }
    expect(sent).toEqual([['__Host-function-user', 'value', options]])
  })
})

describe('T34: a remembered browser is not enough', () => {
  test('to link the first account, where any account is taken', async () => {
    await world.unlink()
    const client = await world.connect(first.token)
    const { _meta } = (await client.callTool({ name: 'list_files', arguments: {} })) as Failed
    const url = _meta?.repairUrl ?? ''

    const visits = [await (await remembered('user-1')).get(url), await first.browser.get(url)]

    expect(visits.map(ledTo)).toEqual([
      [200, undefined],
      [303, productPage],
    ])
  })

  test('to confirm a link of an account that was not known', async () => {
    const back = `${await failed(first.token)}?connect_session_id=ses_1&completion_code=abc&status=authorized`

    const visits = [await (await remembered('user-1')).get(back), await first.browser.get(back)]

    expect(visits.map(({ status }) => status)).toEqual([200, 303])
  })

  test('to allow a client, which needs a login', async () => {
    const { body } = await world.api.get('/v0/functions/files/grants').expect(200)
    const asked = new URLSearchParams({
      client_id: body[0].app.clientId,
      response_type: 'code',
      redirect_uri: callback,
      code_challenge: createHash('sha256').update('verifier').digest('base64url'),
      code_challenge_method: 'S256',
      resource: world.mcpUrl,
      scope: 'tools:read',
    })
    const address = `${origin}/oauth/authorize?${asked}`
    const [known, signedIn] = [await remembered('user-1'), await opened('user-1')]

    const pages = [
      await known.follow(await known.get(address), callback),
      await signedIn.follow(await signedIn.get(address), callback),
    ]

    expect(pages.map(({ text }) => text.includes('Allow access'))).toEqual([false, true])
  })

  test('for the call of another person, who opened the link or sent it', async () => {
    const { url, repeat } = await waiting(first.token)
    const repair = await failed(first.token)
    const attacker = await remembered('user-2')

    const visits = [await attacker.get(repair), await attacker.get(url), await world.decide(attacker, url, 'once')]

    expect(visits.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(visits[0]?.text).not.toContain('user-1')
    expect(await repeat()).toBe('approval_required')
  })
})

describe('T35: a stolen cookie', () => {
  const stillKnows = async (value: string) => ledTo(await browserWith(value).get(await failed(first.token)))[0] === 303

  test('ends when the person signs out in the browser', async () => {
    const browser = await opened('user-1')
    const value = valueIn(browser)
    const before = await stillKnows(value)

    await browser.post(`${origin}/oauth/sign-out`)

    expect([before, await stillKnows(value), browser.cookiesFor(`${origin}/`)]).toEqual([true, false, ''])
  })

  test('ends with all logins of the person when the tenant asks for it, and those of others stay', async () => {
    const [value, others] = [valueIn(await opened('user-1')), valueIn(await opened('user-2'))]
    const signedIn = await opened('user-1')
    const url = await failed(first.token)

    const { body } = await world.api.delete('/v0/functions/files/logins?endUserId=user-1').expect(200)

    const visit = await signedIn.get(url)
    const other = await browserWith(others).get(await failed(second.token))
    expect(body.rememberedBrowsers).toBeGreaterThanOrEqual(2)
    expect([await stillKnows(value), visit.status, other.status]).toEqual([false, 200, 303])
  })

  test('ends with the function, for example after an erasure, also if the tenant creates the function again', async () => {
    const spec = { type: 'mcp', integrationConnections: ['shared'], runtime: { type: 'mcp' } }
    await createResource(world.api, 'functions', 'passing', spec)
    const value = valueIn(await opened('user-1', 'passing'))
    const before = await stillKnows(value)

    await world.api.delete('/v0/functions/passing').expect(200)
    const after = await stillKnows(value)
    await createResource(world.api, 'functions', 'passing', spec)
    await opened('user-1', 'passing')
    await world.platform.adapters.functionUsers.removeExpired()

    expect([before, after, await stillKnows(value)]).toEqual([true, false, false])
  })

  test('ends after 30 days', async () => {
    const value = valueIn(await opened('user-1'))
    const hash = createHash('sha256').update(value).digest()
    const { rows } = await world.platform.pool.query(
      `update remembered_browsers set expires_at = now() where token_hash = $1
        returning extract(epoch from expires_at - created_at)::integer as left`,
      [hash],
    )

    expect([rows.length, await stillKnows(value)]).toEqual([1, false])
  })

  test('cannot be made up, made from the database, or used as a login', async () => {
    const browser = await opened('user-1')
    const value = valueIn(browser)
    const login = /function-login=([^;]+)/.exec(browser.cookiesFor(`${origin}/`))?.[1] ?? ''
    const digest = createHash('sha256').update(value).digest('base64url')
    const values = [randomBytes(32).toString('base64url'), digest, login, `${value}x`, value.toLowerCase()]
    await world.unlink()
    const client = await world.connect(first.token)
    const { _meta } = (await client.callTool({ name: 'list_files', arguments: {} })) as Failed
    const asLogin = await browserWith(value, 'function-login').get(_meta?.repairUrl ?? '')
    await world.relink()

    const known = await Promise.all(values.map(stillKnows))

    expect(known).toEqual([false, false, false, false, false])
    expect(asLogin.status).toBe(200)
  })
})

test('the audit names the browser’s end user by a pseudonym, once for each change', async () => {
  const browser = await opened('user-audited')
  await browser.post(`${origin}/oauth/sign-out`)

  const { rows } = await world.platform.pool.query(
    `select a.action, a.actor_label = u.id as "isPseudonym", a.address, a.resource_name as name
      from audit_events a join function_users u on u.id = a.actor_id
      where u.end_user_id = 'user-audited' order by a.id`,
  )

  const noted = { isPseudonym: true, address: null, name: 'files' }
  expect(rows).toEqual([
    { action: 'functionlogin.remembered', ...noted },
    { action: 'functionlogin.forgotten', ...noted },
  ])
})

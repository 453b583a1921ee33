// Attacks on approvals and repairs that vary the form of a request instead of repeating it: what JSON, HTTP, browsers and
// names allow. Each answer says what the attacker got.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { approvalWorld, type Called, codeOf, urlOf } from '../../support/worlds/approval-world.ts'
import { fileboxConnection, keysOf } from '../../support/worlds/function-world.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

afterAll(() => world.close())

const world = await approvalWorld()
const { state } = world.filebox
const first = await world.endUser('user-1')
const second = await world.endUser('user-2')
const admin = await world.member('admin@acme.example')
const boss = await world.endUser('boss')
const key = world.platform.admin.key

let at = 0
const file = () => `file-${++at}`

type Answer = Called & { code?: number }

/** The body as it is, also if it is no JSON that a library would write. */
async function post(body: string, token = first.token, url = world.mcpUrl): Promise<Answer[]> {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  }
  const text = await (await fetch(url, { method: 'POST', headers, body })).text()
  const messages = text.startsWith('event') ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data) : [text]
  return messages.flatMap((message) => [JSON.parse(message || '[]')].flat()).map(({ result, error }) => result ?? error)
}

const message = (args: string, name = 'write_file', id: number | string = 1) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}`

/** `answered`, the code of the refusal, or the code of the protocol. */
const got = ([answer]: Answer[]) => (answer?.code === undefined ? codeOf(answer as Answer) : answer.code)
const send = async (args: string, name?: string, token?: string) => got(await post(message(args, name), token))

async function ask(args: string, name?: string, token?: string): Promise<string> {
  return urlOf((await post(message(args, name), token))[0] as Answer)
}

async function allow(args: string, { name, by = first.browser, decision = 'once' }: Allowed = {}): Promise<string> {
  const url = await ask(args, name)
  await world.decide(by, url, decision)
  return url
}
type Allowed = { name?: string; by?: HttpBrowser; decision?: string }

/** How many requests reached the app. */
let before = 0
let madeBefore = 0
beforeEach(async () => {
  await world.platform.pool.query('delete from approvals')
  before = state.apiRequests.length
  madeBefore = state.accepted
})
const sent = () => state.apiRequests.length - before
const made = () => state.accepted - madeBefore

describe('arguments that look like the ones that were allowed make no call', () => {
  test.each<[what: string, allowed: (path: string) => string, swapped: (path: string) => string]>([
    ['a second member of the same name', (p) => `{"path":"${p}","size":1}`, (p) => `{"path":"${p}","size":1,"size":2}`],
    ['another normal form', (p) => `{"path":"${p}\u00e9","size":1}`, (p) => `{"path":"${p}e\u0301","size":1}`],
    ['a letter of another script', (p) => `{"path":"${p}a","size":1}`, (p) => `{"path":"${p}\u0430","size":1}`],
    ['a hidden character', (p) => `{"path":"${p}","size":1}`, (p) => `{"path":"${p}\u034f","size":1}`],
    ['another member', (p) => `{"path":"${p}","size":1}`, (p) => `{"path":"${p}","size":1,"note":"x"}`],
    ['a member without effect', (p) => `{"path":"${p}","size":1}`, (p) => `{"path":"${p}","size":1,"extra":null}`],
    ['white space', (p) => `{"path":"${p}","size":1}`, (p) => `{"path":"${p} ","size":1}`],
    ['the other letter case', (p) => `{"path":"${p}","size":1}`, (p) => `{"path":"${p.toUpperCase()}","size":1}`],
    [
      'the next large integer',
      (p) => `{"path":"${p}","size":9007199254740990}`,
      (p) => `{"path":"${p}","size":9007199254740991}`,
    ],
  ])('%s', async (_what, allowed, swapped) => {
    const path = file()
    await allow(allowed(path))

    const answer = await send(swapped(path))

    expect([answer, sent()]).toEqual(['approval_required', 0])
    expect(await send(allowed(path))).toBe('answered')
  })

  test('a number that JSON cannot write is neither null nor shown as null', async () => {
    const url = `${world.filebox.url}/api/${file()}`
    const form = (amount: string) =>
      `{"method":"POST","url":"${url}","bodyType":"application/x-www-form-urlencoded","body":{"amount":${amount}}}`
    await allow(form('null'), { name: 'request' })

    const asked = await ask(form('1e999'), 'request')

    expect(sent()).toBe(0)
    expect((await first.browser.get(asked)).text).toContain('Infinity')
  })

  test('what JSON reads as the same is the same call, and is sent as it was shown', async () => {
    const path = file()
    const url = await ask(`{"size":7,"size":1,"path":"${path}"}`)
    const page = await first.browser.get(url)
    await world.decide(first.browser, url, 'once')

    const answer = await send(`{"p\\u0061th":"${path}","size":1.0}`)

    expect(page.text).toContain('<pre class="value">1</pre>')
    expect([answer, state.apiRequests.at(-1)?.body]).toEqual(['answered', expect.objectContaining({ size: 1 })])
  })
})

describe('another way to the same effect makes no call', () => {
  const names = ['WRITE_FILE', 'write_file ', 'write_f\u0456le', 'files_write_file', 'write_file\u0000', '__proto__']
  test.each(names)('the tool %j', async (name) => {
    const args = `{"path":"${file()}","size":1}`
    await allow(args)

    expect([await send(args, name), sent()]).toEqual([-32_602, 0])
  })

  test.each<[what: string, path: (path: string) => string]>([
    ['a slash more', (path) => `${path}/`],
    ['an encoded letter', (path) => path.replace('f', '%66')],
    ['an encoded slash', (path) => `x/..%2f${path}`],
    ['a path parameter', (path) => `${path};v=1`],
    ['the other letter case', (path) => path.toUpperCase()],
  ])('for an hour, a path with %s', async (_what, changed) => {
    const path = file()
    const request = (to: string) => `{"method":"DELETE","url":"${world.filebox.url}/api/${to}"}`
    await allow(request(path), { name: 'request', decision: 'hour' })

    expect([await send(request(changed(path)), 'request'), sent()]).toEqual(['approval_required', 0])
  })

  test('the request tool and the relay after the tool was allowed', async () => {
    const path = file()
    const target = `/api/files/${path}`
    await allow(`{"path":"${path}","size":1}`, { decision: 'hour' })

    const byTool = await send(`{"method":"PUT","url":"${world.filebox.url}${target}"}`, 'request')
    const { status } = await fetch(`${world.origin}/acme/functions/files/relay/-${target}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${key}` },
      body: '{}',
    })

    expect([byTool, status, sent()]).toEqual(['approval_required', 403, 0])
  })

  test('two calls in one batch use one receipt', async () => {
    const args = `{"path":"${file()}","size":1}`
    await allow(args)

    const answers = await post(`[${[1, 2, 3].map((id) => message(args, 'write_file', id)).join()}]`)

    expect(answers.map((answer) => codeOf(answer)).toSorted()).toEqual([
      'answered',
      'approval_required',
      'approval_required',
    ])
    expect(made()).toBe(1)
  })

  test('a notification, which gets no answer, makes no call', async () => {
    const args = `{"path":"${file()}","size":1}`
    await allow(args)

    await post(message(args).replace('"id":1,', ''))

    expect(sent()).toBe(0)
  })
})

describe('relayed requests that look like the one that was allowed are not sent', () => {
  const relay = (path: string, init: RequestInit) =>
    fetch(`${world.origin}/acme/functions/files/relay/-/api/${path}`, {
      method: 'POST',
      body: '{"n":1}',
      ...init,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...init.headers },
    })

  test.each<[what: string, path: (path: string) => string, init: RequestInit]>([
    ['a query', (path) => `${path}?x`, {}],
    ['another kind of body', (path) => path, { headers: { 'Content-Type': 'text/plain' } }],
    ['another charset', (path) => path, { headers: { 'Content-Type': 'application/json; charset=utf-7' } }],
    ['an encoded body', (path) => path, { headers: { 'Content-Encoding': 'gzip' } }],
    ['a condition', (path) => path, { headers: { 'If-Match': '*' } }],
    ['white space in the body', (path) => path, { body: '{"n": 1}' }],
    ['a byte order mark', (path) => path, { body: '\ufeff{"n":1}' }],
    ['a method that no rule names', (path) => path, { method: 'MERGE' }],
  ])('with %s', async (_what, changed, init) => {
    const path = file()
    const { error } = (await (await relay(path, {})).json()) as { error: { message: string } }
    await world.decide(first.browser, /http\S+[\w-]{22}/.exec(error.message)?.[0] ?? '', 'once')

    expect([(await relay(changed(path), init)).status, sent()]).toEqual([403, 0])
  })

  test('a header that selects another method is not passed on', async () => {
    const { status } = await relay(file(), { method: 'GET', body: null, headers: { 'X-HTTP-Method': 'DELETE' } })

    expect([status, state.apiRequests.at(-1)?.method]).toEqual([200, 'GET'])
    expect(JSON.stringify(state.apiRequests.at(-1))).not.toMatch(/x-http-method/i)
  })
})

describe('decisions of other people and programs count for nothing', () => {
  const fieldsOf = (decision: string) => ({ decision })
  const isUndecided = async (url: string) => {
    const { rows } = await world.platform.pool.query('select decided_at from approvals where id = $1', [
      url.split('/').at(-1),
    ])
    return rows[0]?.decided_at === null
  }

  test.each<[what: string, headers: Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a site below the same domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['no page', { 'Sec-Fetch-Site': 'none' }],
    ['a page without an origin', { Origin: 'null' }],
    ['another port of the host', { Origin: 'http://127.0.0.1:1' }],
    ['a text form', { 'Content-Type': 'text/plain' }],
    ['JSON', { 'Content-Type': 'application/json' }],
  ])('a form of %s', async (_what, headers) => {
    const url = await ask(`{"path":"${file()}","size":1}`)

    const { status } = await first.browser.post(url, fieldsOf('once'), headers)

    expect([status, await isUndecided(url)]).toEqual([expect.toSatisfy((each) => each === 403 || each === 400), true])
  })

  test.each<[what: string, use: (url: string) => Promise<unknown>]>([
    ['a link', (url) => first.browser.get(`${url}?decision=once`)],
    ['another method', (url) => first.browser.send(url, { method: 'PUT', headers: { Origin: world.origin } })],
    ['two decisions', (url) => first.browser.post(`${url}?decision=once`, {})],
    ['another letter case', (url) => first.browser.post(url, fieldsOf('ONCE'))],
    ['another case of the address', (url) => first.browser.post(url.replace('approval', 'APPROVAL'), fieldsOf('once'))],
    ['a slash more', (url) => first.browser.post(`${url}/`, fieldsOf('once'))],
    ['the ID of an approval as one of a repair', (url) => first.browser.get(url.replace('approval', 'repair'))],
    ['a key', (url) => new HttpBrowser({ Authorization: `Bearer ${key}` }).post(url, fieldsOf('once'))],
    [
      'the token of the client',
      (url) => new HttpBrowser({ Authorization: `Bearer ${first.token}` }).post(url, fieldsOf('once')),
    ],
    [
      'a made-up login',
      (url) => new HttpBrowser({ Cookie: `function-login=${'A'.repeat(43)}` }).post(url, fieldsOf('once')),
    ],
    ['the API', (url) => world.api.post(`/v0/approvals/${url.split('/').at(-1)}`).send(fieldsOf('once'))],
  ])('%s', async (_what, use) => {
    const url = await ask(`{"path":"${file()}","size":1}`)

    await use(url)

    expect(await isUndecided(url)).toBe(true)
  })

  test.each(['Boss', 'boss ', '\uff42oss', 'b\u043ess', 'admin@acme.example'])(
    'an end user with the ID %j, who is not the approver',
    async (id) => {
      const { browser } = await world.endUser(id)
      const shared = await post(message(`{"path":"${file()}","size":1}`), key, world.sharedUrl)
      const url = urlOf(shared[0] as Answer)

      const { status } = await world.decide(browser, url, 'once')

      expect([status, await isUndecided(url)]).toEqual([403, true])
    },
  )

  test('a browser whose cookies an attacker knew before the sign-in is not theirs afterwards', async () => {
    const url = await ask(`{"path":"${file()}","size":1}`)
    const [attacker, victim] = [new HttpBrowser(), new HttpBrowser()]
    await attacker.get(url.replace(/approval.*/, 'authorize?client_id=x'))
    const planted = [`function-login=${'B'.repeat(43)}; path=/`]
    for (const browser of [attacker, victim]) browser.keep(world.origin, planted)
    const { url: login } = await world.login({ id: 'user-1', label: 'user-1@acme.example' })
    await victim.get(login)
    await victim.post(login)

    const [theirs, own] = [await attacker.get(url), await victim.get(url)]

    expect(theirs.text).toContain('Tell us who you are')
    expect(own.text).toContain('write_file')
  })

  test('pages are not framed, kept, or named to others', async () => {
    const { headers } = await first.browser.get(await ask(`{"path":"${file()}","size":1}`))

    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })
})

describe('an approval does not outlive what it was given for', () => {
  const shared = (args: string) => post(message(args), key, world.sharedUrl)

  test('of two people who decide at once, one decides', async () => {
    for (let round = 0; round < 10; round++) {
      const args = `{"path":"${file()}","size":1}`
      const url = urlOf((await shared(args))[0] as Answer)
      madeBefore = state.accepted

      await Promise.all([world.decide(admin.browser, url, 'once'), world.decide(boss.browser, url, 'decline')])

      const answers = [got(await shared(args)), got(await shared(args))]
      const { rows } = await world.platform.pool.query('select decision from approvals where id = $1', [
        url.split('/').at(-1),
      ])
      expect([answers, made()]).toEqual(
        rows[0].decision === 'once'
          ? [['answered', 'approval_required'], 1]
          : [['approval_declined', 'approval_declined'], 0],
      )
    }
  })

  test('a used one is not used again after a second decision, or after it was stopped', async () => {
    const args = `{"path":"${file()}","size":1}`
    const url = await allow(args)
    await send(args)

    for (const decision of ['once', 'hour', 'stop']) await world.decide(first.browser, url, decision)

    expect([await send(args), made()]).toEqual(['approval_required', 1])
  })

  test('one that was stopped allows none of the calls that arrive later', async () => {
    const third = await world.endUser('stops')
    const args = () => `{"path":"${file()}","size":1}`
    const url = await ask(args(), 'write_file', third.token)
    await world.decide(third.browser, url, 'hour')
    const calls = Array.from({ length: 10 }, () => send(args(), 'write_file', third.token))
    await world.decide(third.browser, url, 'stop')

    const later = await Promise.all(Array.from({ length: 10 }, () => send(args(), 'write_file', third.token)))

    expect(new Set(await Promise.all(calls))).not.toContain(undefined)
    expect(new Set(later)).toEqual(new Set(['approval_required']))
  })

  test('an expired question cannot be answered', async () => {
    const args = `{"path":"${file()}","size":1}`
    const url = await ask(args)
    await world.platform.pool.query(`update approvals set expires_at = now() where id = $1`, [url.split('/').at(-1)])

    await world.decide(first.browser, url, 'once')

    expect([await send(args), sent()]).toEqual(['approval_required', 0])
  })

  test('after the policy has named approvers, the receipt of the caller is worth nothing', async () => {
    const policy = join(temporaryFolder(), 'policy.json')
    const approval = { calls: 'writing', approvers: { members: ['admin@acme.example'] } }
    writeFileSync(policy, JSON.stringify({ rules: [{ approval }] }))
    const { config } = world.platform
    const stricter = await platformWorld({
      env: {
        PUBLIC_URL: world.origin,
        TOOL_POLICY_FILE: policy,
        DATABASE_URL: config.databaseUrl,
        ENCRYPTION_KEYS: keysOf(config),
      },
      integrations: [world.filebox.integration],
    })
    const url = `${await stricter.listen()}/acme/functions/files/mcp`
    const args = `{"path":"${file()}","size":1}`
    await allow(args)
    await allow(`{"path":"${file()}","size":1}`, { decision: 'hour' })

    const answers = await post(message(args), first.token, url)
    await stricter.close()

    expect([got(answers), sent()]).toEqual(['approval_required', 0])
  })

  test('after the function and the connection were deleted, nothing of it is left for those of the same name', async () => {
    const name = 'files-2'
    const create = async () => {
      const connection = { ...fileboxConnection(state.refreshToken), metadata: { name } }
      await world.api.post('/v0/integrations/connections').send(connection).expect(200)
      await createResource(world.api, 'functions', name, {
        type: 'mcp',
        integrationConnections: [name],
        runtime: { type: 'mcp' },
      })
    }
    await create()
    const policyless = await world.platform.pool.query(
      `insert into approvals (id, workspace, function_id, function_name, connection_id, connection, app, tool, covers,
        digest, subject, caller_kind, caller_id, caller_label, deciders, expires_at)
       select 'kept', 'acme', f.id, $1, c.id, $1, 'Filebox', 't', 't', 'd', 's', 'end_user', 'u', 'CANARY', '{}',
        now() + interval '1 hour'
       from resources f, resources c where f.name = $1 and c.name = $1 and f.id <> c.id limit 1`,
      [name],
    )

    await world.api.delete(`/v0/functions/${name}`).expect(200)
    await world.api.delete(`/v0/integrations/connections/${name}`).expect(200)
    await create()

    const { rows } = await world.platform.pool.query(`select id from approvals where connection = $1`, [name])
    expect([policyless.rowCount, rows]).toEqual([1, []])
  })
})

describe('the link of a failed call', () => {
  async function failed(): Promise<string> {
    world.killGrant()
    const [answer] = await post(message('{}', 'list_files'))
    return (answer as { _meta?: { repairUrl?: string } })._meta?.repairUrl ?? ''
  }
  const ticketIn = ({ headers }: { headers: Headers }) =>
    new URL(headers.get('location') ?? '/', world.origin).searchParams.get('ticket')

  test('two browsers of the person at once: one ticket works, once', async () => {
    const url = await failed()
    const visits = await Promise.all(Array.from({ length: 10 }, () => first.browser.get(url)))

    const redeemed = await Promise.all(visits.map((visit) => world.redeem(ticketIn(visit) ?? '')))

    expect(redeemed.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
  })

  test.each([
    ['a ticket of the attacker', `?ticket=${randomBytes(32).toString('base64url')}`],
    ['two tickets', '?ticket=a&ticket=b&connect_session_id=ses_1&completion_code=c'],
    ['an address to go to', '?repairUrl=https%3A%2F%2Fevil.example&redirect=https%3A%2F%2Fevil.example'],
    ['a list for a session', '?connect_session_id=a&connect_session_id=b&completion_code=c'],
  ])('with %s leads to the product with its own ticket', async (_what, query) => {
    const url = await failed()

    const { headers } = await first.browser.get(url + query)

    const target = new URL(headers.get('location') ?? '')
    expect(target.origin + target.pathname).toBe('http://product.example/repair/con_1')
    expect(target.searchParams.getAll('ticket')).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
    expect(query).not.toContain(target.searchParams.get('ticket'))
  })

  test.each<[what: string, changed: (url: string) => string]>([
    ['a slash more', (url) => `${url}/`],
    ['another letter case', (url) => url.replace('/repair/', '/Repair/')],
    ['an encoded letter of the ID that does not exist', (url) => `${url.slice(0, -1)}%2A`],
    ['a longer ID', (url) => `${url}A`],
    ['the ID as one of an approval', (url) => url.replace('/repair/', '/approval/')],
  ])('with %s leads nowhere', async (_what, changed) => {
    const visit = await first.browser.get(changed(await failed()))

    expect([visit.status, visit.headers.get('location')]).toEqual([404, null])
  })

  test('another person with the ID of the first one in another form is sent nowhere', async () => {
    const url = await failed()

    for (const id of ['User-1', 'user-1 ', 'user\u20111', '\uff55ser-1']) {
      const { browser } = await world.endUser(id)
      expect((await browser.get(url)).status).toBe(403)
    }
    expect((await second.browser.get(url)).status).toBe(403)
    await world.relink()
  })
})

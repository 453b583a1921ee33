import { createHash, randomBytes } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resumeTasks } from '../../../src/onboarding/connections/flows/work-on-task.ts'
import { workOnImports } from '../../../src/onboarding/imports/flows/work-on-imports.ts'
import { resumeDeletions } from '../../../src/onboarding/offboarding/flows/work-on-deletion.ts'
import { deliverWebhooks } from '../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let api: OnboardingWorld['api']
let key: string
let outsideCalls: () => number

beforeAll(async () => {
  world = await startOnboarding()
  const testMode = { name: 'test', tenant: undefined, testMode: true }
  key = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
  api = world.apiAs(key)
  await api('PUT', '/tenants/test_acme', { workspace: 'acme', displayName: 'Acme', returnUrls: [returnUrl] })
  const { authorizations, tokenRequests, revocations, other } = world.provider.seen
  const lists = [authorizations, tokenRequests, revocations, other, world.platform.seen]
  outsideCalls = () => lists.reduce((count, list) => count + list.length, 0)
})
afterAll(() => world.close())

async function link(testOutcome?: string, endUserId = 'user-1') {
  const verifier = randomBytes(32).toString('base64url')
  const completionChallenge = createHash('sha256').update(verifier).digest('base64url')
  const { body: session } = await api('POST', '/connect-sessions', {
    tenantId: 'test_acme',
    integrationId: 'provider',
    endUser: { id: endUserId },
    returnUrl,
    completionChallenge,
    testOutcome,
  })
  const browser = new HttpBrowser()
  const visited = await browser.follow(await browser.post(session.url), 'https://acme.example')
  const query = Object.fromEntries(new URL(visited.url).searchParams)
  const complete = () =>
    api('POST', `/connect-sessions/${session.id}/complete`, {
      completionCode: query.completion_code,
      completionVerifier: verifier,
    })
  return { session, browser, visited, query, complete }
}

test('a test-mode link finishes without a call to the provider or the platform', async () => {
  const before = outsideCalls()

  const { session, complete } = await link('approved')
  const completed = await complete()
  const connection = await api('GET', `/connections/${completed.body.connectionId}`)
  const checked = await api('POST', `/connections/${completed.body.connectionId}/health-checks`, { reason: 'a test' })

  expect(session).toMatchObject({ testMode: true, testOutcome: 'approved', tenantId: 'test_acme' })
  expect(completed.body).toMatchObject({ status: 'linked', testMode: true })
  expect(completed.headers.get('test-mode')).toBe('true')
  expect(connection.body).toMatchObject({
    testMode: true,
    workspace: 'test_acme',
    scopes: ['email', 'files.read'],
    upstreamAccount: { id: 'test-account-1' },
  })
  expect(checked.body).toMatchObject({ outcome: 'healthy' })
  expect(outsideCalls()).toBe(before)
})

test('without a test outcome, the user chooses on a page that explains it', async () => {
  const { visited, browser } = await link()
  const [, href = ''] = /<a class="choice" href="([^"]*outcome=denied)"/.exec(visited.text) ?? []

  const denied = await browser.follow(
    await browser.get(new URL(href.replaceAll('&amp;', '&'), visited.url).href),
    'https://acme.example',
  )

  expect(visited.text).toContain('Test sign-in for Provider')
  expect(visited.text).toContain('No real account is used')
  expect(visited.text).toContain('<code>other_account</code>')
  expect(new URL(denied.url).searchParams.get('cause_code')).toBe('consent_denied')
})

test.each([
  ['denied', { status: 'denied', cause_code: 'consent_denied' }],
  ['partial', { status: 'authorized' }],
])('returns the outcome %s to the tenant', async (outcome, expected) => {
  const { query } = await link(outcome)

  expect(query).toMatchObject(expected)
})

test('a missing permission or refresh token ends a link as with a real provider', async () => {
  const partial = await (await link('partial')).complete()
  const first = await link('no_refresh_token')
  const again = await first.complete()
  const second = await first.browser.follow(await first.browser.get(again.body.continueUrl), 'https://acme.example')

  expect(partial.body).toMatchObject({
    status: 'failed',
    cause: { code: 'scope_missing' },
    missingScopes: ['files.read'],
  })
  expect(again.body).toMatchObject({ status: 'pending', continueUrl: expect.stringContaining('/consent') })
  expect(new URL(second.url).searchParams.get('status')).toBe('authorized')
})

test('rejects a re-link by another account, and accepts one by the same account', async () => {
  const { body: linked } = await (await link('approved')).complete()
  const relink = async (testOutcome: string) => {
    const path = `/connections/${linked.connectionId}/relink-sessions`
    const { body } = await api('POST', path, { reason: 'a test', testOutcome })
    const browser = new HttpBrowser()
    return browser.follow(await browser.post(body.url))
  }

  const other = await relink('other_account')
  const same = await relink('approved')

  expect(other.text).toContain('You signed in with a different account')
  expect(same.text).toContain('Provider is reconnected')
})

test('a grant revoked by the app breaks the connection, and a re-link repairs it', async () => {
  const { body: linked } = await (await link('revoked', 'user-revoked')).complete()
  const check = () => api('POST', `/connections/${linked.connectionId}/health-checks`, { reason: 'a test' })
  // The limit is ten checks per minute.
  await waitFor('the app has revoked it', async () => (await check()).body.outcome === 'broken', { everyMs: 5_000 })

  const { body: broken } = await api('GET', `/connections/${linked.connectionId}`)
  const path = `/connections/${linked.connectionId}/relink-sessions`
  const { body: session } = await api('POST', path, { reason: 'a test', testOutcome: 'approved' })
  const browser = new HttpBrowser()
  await browser.follow(await browser.post(session.url))
  const { body: mended } = await api('GET', `/connections/${linked.connectionId}`)

  expect(linked.status).toBe('linked')
  expect(broken).toMatchObject({ status: 'needs_relink', cause: { code: 'grant_revoked' } })
  expect(broken.causeForUser.title).not.toBe('')
  expect(mended.status).toBe('active')
})

test('a slow provider leaves the link pending, and a worker finishes it', async () => {
  const { session, complete } = await link('slow')

  const completed = await complete()
  const linked = await waitFor('the link is done', async () => {
    const { body } = await api('GET', `/links/${completed.body.id}`)
    return body.status === 'linked' && body
  })

  expect(completed.body.status).toBe('pending')
  expect(linked.connectSessionId).toBe(session.id)
})

test('a test key sees only test tenants, and a live key only live tenants', async () => {
  const { body: linked } = await (await link('approved')).complete()
  const own = await api('GET', `/connections/${linked.connectionId}`)
  const paths = [
    `/connections/${linked.connectionId}`,
    `/connections/${linked.connectionId}/health`,
    `/connections/${linked.connectionId}/function-grants`,
    `/links/${linked.id}`,
    `/connect-sessions/${linked.connectSessionId}`,
    '/tenants/test_acme',
    '/tenants/test_acme/webhooks',
  ]

  const foreign = await Promise.all(paths.map((path) => world.api('GET', path)))
  const lists = await Promise.all(
    ['/tenants', '/links', '/connections', '/audit', '/campaigns'].map((path) => world.api('GET', path)),
  )
  const testLists = await Promise.all(['/tenants', '/links', '/connections', '/audit'].map((path) => api('GET', path)))
  const liveTenant = await api('GET', '/tenants/acme')

  expect(own.status).toBe(200)
  expect(foreign.map(({ status }) => status)).toEqual(paths.map(() => 404))
  expect(JSON.stringify(lists.map(({ body }) => body))).not.toContain('"tenantId":"test_')
  expect(lists[0]?.body.data).toEqual([expect.objectContaining({ id: 'acme' })])
  expect(testLists.flatMap(({ body }) => body.data).length).toBeGreaterThan(4)
  for (const { body } of testLists) {
    for (const item of body.data) expect(item.tenantId ?? item.id).toMatch(/^test_/)
  }
  expect(liveTenant.status).toBe(404)
})

test('a test key cannot change live resources, neither tools nor links', async () => {
  const minted = await world.mint()
  const live = (await world.complete(minted, (await world.consent(minted)).query)).body
  const path = `/connections/${live.connection.id}/tool-list`
  const resumption = { causeCode: 'platform_refused', reason: 'a test' }
  const before = outsideCalls()

  const tools = await api('GET', path)
  const approval = await api('POST', `${path}/approval`, { hash: 'a'.repeat(64) })
  const resumed = await api('POST', '/link-resumptions', { ...resumption, tenantId: 'acme' })
  const byLiveKey = await world.api('POST', '/link-resumptions', { ...resumption, tenantId: 'test_acme' })

  expect([tools, approval, resumed, byLiveKey].map(({ status }) => status)).toEqual([404, 404, 404, 404])
  expect(outsideCalls()).toBe(before)
})

test('keys cannot create tenants of the other mode, and only live tenants need a workspace', async () => {
  const tenant = { workspace: 'globex', displayName: 'Globex', returnUrls: [returnUrl] }

  const live = await api('PUT', '/tenants/globex', tenant)
  const testOne = await world.api('PUT', '/tenants/test_globex', tenant)
  const made = await api('POST', '/tenants', tenant)
  const outcome = await world.api('POST', '/connect-sessions', {
    tenantId: 'acme',
    integrationId: 'provider',
    endUser: { id: 'user-1' },
    returnUrl,
    completionChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    testOutcome: 'denied',
  })

  const { workspace: _none, ...withoutWorkspace } = tenant
  const unplaced = await api('PUT', '/tenants/test_unplaced', withoutWorkspace)
  const liveUnplaced = await world.api('PUT', '/tenants/unplaced', withoutWorkspace)

  expect(unplaced).toMatchObject({ status: 201, body: { workspace: 'test_unplaced' } })
  expect(liveUnplaced).toMatchObject({ status: 422, body: { detail: 'workspace is required.' } })
  expect(live).toMatchObject({ status: 422, body: { errors: [{ pointer: '/id' }] } })
  expect(testOne).toMatchObject({ status: 422, body: { errors: [{ pointer: '/id' }] } })
  expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^test_ten-/), testMode: true } })
  expect(outcome).toMatchObject({ status: 422, body: { errors: [{ pointer: '/testOutcome' }] } })
})

test('the built-in provider redirects only to our callback', async () => {
  const query = new URLSearchParams({ state: 'x', code_challenge: 'y', outcome: 'denied' })
  const at = (redirectUri: string) =>
    fetch(`${world.url}/test-provider/provider/authorize?redirect_uri=${encodeURIComponent(redirectUri)}&${query}`, {
      redirect: 'manual',
    })

  const [own, foreign, other] = await Promise.all([
    at(`${world.url}/oauth/callback/provider`),
    at('https://evil.example/'),
    at(`${world.url}/oauth/callback/other`),
  ])

  expect(own.status).toBe(303)
  expect([foreign.status, other.status]).toEqual([422, 422])
})

async function openFunction(functionUrl: string, authorization: string) {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${functionUrl}/mcp`), { requestInit }))
  return client
}

test('the function of a connection lists and runs one sample tool, for a key that can read the connection', async () => {
  const { body: linked } = await (await link('approved', 'user-3')).complete()
  const { functionUrl } = linked.connection
  const call = (method: string, headers: Record<string, string>, given = functionUrl) =>
    fetch(`${given}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
    })

  const client = await openFunction(functionUrl, `Bearer ${key}`)
  const { tools } = await client.listTools()
  const called = await client.callTool({ name: 'get_account', arguments: {} })
  await client.close()
  const unknown = await (await call('resources/list', { Authorization: `Bearer ${key}` })).json()
  const refused = await Promise.all([
    call('tools/list', {}),
    call('tools/list', { Authorization: `Bearer ${world.key}` }),
    call('tools/list', { Authorization: `Bearer ${key}` }, `${functionUrl}x`),
    fetch(`${functionUrl}/mcp`, { headers: { Authorization: `Bearer ${key}` } }),
  ])

  expect(tools.map(({ name }) => name)).toEqual(['get_account'])
  const told = { account: 'first@test.example', integration: 'provider', testMode: true }
  expect(called.content).toEqual([{ type: 'text', text: JSON.stringify(told) }])
  expect(unknown).toMatchObject({ error: { code: -32601 } })
  expect(refused.map(({ status }) => status)).toEqual([401, 404, 404, 405])
})

test('the sample tool fails after the app has revoked access', async () => {
  const { body: linked } = await (await link('approved', 'user-4')).complete()
  await world.sql.query(`update connections set status = 'needs_relink', cause = 'grant_revoked' where id = $1`, [
    linked.connectionId,
  ])

  const client = await openFunction(linked.connection.functionUrl, `Bearer ${key}`)
  const called = await client.callTool({ name: 'get_account', arguments: {} })
  await client.close()

  expect(called).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Reconnect') }] })
})

test('function logins are unavailable in test mode, and one call deletes a tenant with everything', async () => {
  const before = outsideCalls()
  const { body: linked } = await (await link('approved', 'user-2')).complete()
  const login = await api('POST', `/connections/${linked.connectionId}/function-logins`, {})

  await api('DELETE', '/tenants/test_acme')
  await waitFor('the deletion is done', async () => {
    await (await deliverWebhooks(world.ports)()).done
    await resumeDeletions(world.ports, world.settings)
    await resumeTasks(world.ports, world.settings)
    const { body } = await api('GET', '/tenants/test_acme/deletion')
    return body.status === 'done'
  })
  const connection = await api('GET', `/connections/${linked.connectionId}`)

  expect(login).toMatchObject({ status: 409, body: { code: 'not_in_test_mode' } })
  expect(connection.body.status).toBe('disconnected')
  expect(outsideCalls()).toBe(before)
})

test('a test-mode import accepts only the documented tokens', async () => {
  const tenant = { workspace: 'acme', displayName: 'Acme', returnUrls: [returnUrl] }
  await api('PUT', '/tenants/test_imports', tenant)
  const { body: started } = await api('POST', '/imports', { tenantId: 'test_imports', name: 'a test' })
  const row = (refreshToken: string, more: object = {}) => ({
    key: refreshToken,
    integrationId: 'provider',
    endUser: { id: `user-of-${refreshToken}` },
    refreshToken,
    ...more,
  })
  const mismatched = row('test_approved_2', { key: 'mismatched', accountId: 'test-account-2' })
  const matched = row('test_other_account', { accountId: 'test-account-2' })
  const rowsToSend = [row('test_approved'), matched, mismatched, row('test_anything_else')]

  await api('POST', `/imports/${started.id}/rows`, { rows: rowsToSend })
  await workOnImports(world.ports, world.settings)
  const { data: rows } = (await api('GET', `/imports/${started.id}/rows`)).body
  const outcomes = Object.fromEntries(rows.map((each: Row) => [each.key, each.cause?.code ?? each.status]))
  const { connectionId } = rows.find(({ key }: Row) => key === 'test_other_account')
  const connection = await api('GET', `/connections/${connectionId}`)

  expect(outcomes).toEqual({
    test_approved: 'linked',
    test_other_account: 'linked',
    mismatched: 'import_account_mismatch',
    test_anything_else: 'grant_revoked',
  })
  expect(connection.body.upstreamAccount).toMatchObject({ label: 'second@test.example' })
})

type Row = { key: string; status: string; connectionId?: string; cause?: { code: string } }

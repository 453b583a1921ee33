import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { thirdParty } from '../../../src/platform/gateway/adapters/third-party.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type FunctionWorld, fileboxConnection, functionWorld } from '../../support/worlds/function-world.ts'

// 500 calls in two processes are slow on a busy machine.
let world: FunctionWorld

beforeEach(async () => {
  world = await functionWorld()
})
afterEach(() => world.close())

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_files', arguments: {} } }
type Answer = { result: { isError: boolean; content: [{ text: string }] } }

const callOnce = async (url: string, body: unknown = call) =>
  ((await (await world.post(url, body)).json()) as Answer).result

const callMany = (urls: string[], count: number) =>
  Promise.all(Array.from({ length: count }, (_, at) => callOnce(urls[at % urls.length]!)))

const storedRefreshToken = async () => {
  const found = await world.platform.adapters.resources.find({
    workspace: 'acme',
    kind: 'integrationconnection',
    parent: '',
    name: 'files',
  })
  const opened = world.platform.adapters.vault.open(found!.sealed!, `resource|acme|${found!.id}`)
  return JSON.parse(opened.reveal())['/secret/REFRESH_TOKEN']
}

/** Leaves an expired access token in the store and in the cache of this process. */
async function expire(url: string) {
  world.filebox.state.expiresIn = 1
  await callOnce(url)
  await waitFor('the access token has expired', async () => (await goodUntil()) < new Date())
  world.filebox.state.expiresIn = 3_600
}

test('100 parallel calls on an expired access token cause exactly one refresh', async () => {
  const url = await world.listen()
  await expire(url)

  const results = await callMany([url], 100)

  expect(results.filter(({ isError }) => isError)).toEqual([])
  expect(world.filebox.state.tokenRequests).toHaveLength(2)
})

/** Ten rounds within the half second for which a token is used. */
const betweenRoundsMs = 50

test('in two processes with a rotating provider: no call fails, the newest token is always stored, and 500 parallel calls on an expired access token cause exactly one refresh', async () => {
  Object.assign(world.filebox.state, { rotates: true, expiresIn: 1, keepsOldAccessTokens: true })
  const other = await world.twin()
  const urls = [await world.listen(), await other.listen()]

  const results = []
  const tokens: Array<{ stored: string; newest: string }> = []
  const from = performance.now()
  while (world.filebox.state.tokenRequests.length < 5 && performance.now() - from < 120_000) {
    results.push(...(await callMany(urls, 20)))
    tokens.push({ stored: await storedRefreshToken(), newest: world.filebox.state.refreshToken })
    await pause(betweenRoundsMs)
  }
  const lives = Math.ceil((performance.now() - from) / 500)
  const refreshes = world.filebox.state.tokenRequests.length
  world.filebox.state.expiresIn = 3_600
  await waitFor('the access token has expired', async () => (await goodUntil()) < new Date())
  results.push(...(await callMany(urls, 500)))
  await other.close()

  expect(world.filebox.state.tokenRequests.length).toBe(refreshes + 1)
  expect(results.filter(({ isError }) => isError)).toEqual([])
  expect(world.filebox.state.refusedRefreshes).toBe(0)
  expect(tokens.filter(({ stored, newest }) => stored !== newest)).toEqual([])
  // Each token is used for half a second, so there is at most one refresh in that time.
  expect(refreshes).toBeGreaterThanOrEqual(5)
  expect(refreshes).toBeLessThanOrEqual(lives)
})

test.each([null, 0, -1, 'soon', 1e18])(
  "keeps a rotated refresh token even if the access token's lifetime is %j",
  async (expiresIn) => {
    Object.assign(world.filebox.state, { rotates: true, expiresIn })

    const { isError } = await callOnce(await world.listen())

    expect(isError).toBe(false)
    expect(await storedRefreshToken()).toBe(world.filebox.state.refreshToken)
  },
)

test('keeps a rotated refresh token when the store fails temporarily', async () => {
  world.filebox.state.rotates = true
  const { resources } = world.platform.adapters
  const change = vi.spyOn(resources, 'change').mockRejectedValueOnce(new Error('the store stumbles'))

  const result = await callOnce(await world.listen())
  change.mockRestore()

  expect(result.isError).toBe(false)
  expect(await storedRefreshToken()).toBe('refresh-2')
})

test('a revoked grant adds one event to the function and is not retried at every call', async () => {
  world.filebox.state.refreshToken = 'gone'
  const url = await world.listen()
  const statusOf = async () => (await world.api.get('/v0/functions/files')).body.status
  await waitFor('the function is deployed', async () => (await statusOf()) === 'DEPLOYED')

  const results = await callMany([url], 20)

  const { body } = await world.api.get('/v0/functions/files')
  const told = body.events.filter(({ type }: { type: string }) => type === 'connection')
  expect(results.every(({ content }) => content[0].text.includes('needs re-linking'))).toBe(true)
  expect(told).toEqual([
    expect.objectContaining({
      code: 'grant_revoked',
      connection: 'files',
      message: expect.stringContaining('The connection files needs re-linking'),
    }),
  ])
  expect(body.status).toBe('DEPLOYED')
  expect(world.filebox.state.tokenRequests.length).toBeLessThan(3)
})

test('a re-linked connection works again without changes at the client', async () => {
  world.filebox.state.refreshToken = 'gone'
  const url = await world.listen()
  const broken = await callOnce(url)

  world.filebox.state.refreshToken = 'refresh-9'
  await world.api.put('/v0/integrations/connections/files').send(fileboxConnection('refresh-9')).expect(200)
  const mended = await callOnce(url)

  expect([broken.isError, mended.isError]).toEqual([true, false])
})

test('one event reports that a re-linked connection has recovered, and none is added for one that never broke', async () => {
  const url = await world.listen()
  const told = async () => {
    const { body } = await world.api.get('/v0/functions/files')
    const events = body.events.filter(({ type }: { type: string }) => type === 'connection')
    return events.map(({ code, message }: { code: string; message: string }) => `${code}: ${message}`)
  }
  await callOnce(url)
  const sound = await told()
  const relink = async (refreshToken: string) => {
    await world.api.put('/v0/integrations/connections/files').send(fileboxConnection(refreshToken)).expect(200)
  }

  await relink('refresh-8')
  await callOnce(url)
  world.filebox.state.refreshToken = 'refresh-9'
  await relink('refresh-9')
  await callMany([url], 10)
  await relink('refresh-9')
  await callOnce(url)

  expect(sound).toEqual([])
  expect(await told()).toEqual([
    'grant_revoked: The connection files needs re-linking: its authorization was revoked or has expired (secrets 2).',
    'grant_restored: The connection files works again (secrets 3).',
  ])
})

/** A call that holds an access token of the old grant while the connection gets a new one. */
async function replacedDuringCall(url: string) {
  await callOnce(url)
  world.filebox.state.hold = true
  const underWay = callOnce(url)
  await waitFor('the call is at the third party', () => world.filebox.state.apiRequests.length === 2)
  Object.assign(world.filebox.state, { refreshToken: 'refresh-9', accessToken: 'none of the old grant' })
  await world.api.put('/v0/integrations/connections/files').send(fileboxConnection('refresh-9')).expect(200)
  return { underWay } // not awaited: the call is blocked
}

test('a call rejected because its grant was replaced continues with the new one, whose rotated token is kept', async () => {
  world.filebox.state.rotates = true
  const { underWay } = await replacedDuringCall(await world.listen())

  world.filebox.release()

  expect((await underWay).isError).toBe(false)
  expect(world.filebox.state.refusedRefreshes).toBe(0)
  expect(await storedRefreshToken()).toBe(world.filebox.state.refreshToken)
})

test('a process with a rejected token uses the one that another process fetched with the new grant', async () => {
  const other = await world.twin()
  const { underWay } = await replacedDuringCall(await world.listen())
  const elsewhere = callOnce(await other.listen())
  await waitFor('the other process has a token', () => world.filebox.state.apiRequests.length === 3)

  world.filebox.release()
  const results = await Promise.all([underWay, elsewhere])
  await other.close()

  expect(results.map(({ isError }) => isError)).toEqual([false, false])
  expect(world.filebox.state.tokenRequests).toHaveLength(2)
})

test('a replaced connection does not use an unexpired token of its old grant', async () => {
  const url = await world.listen()
  await callOnce(url)
  world.filebox.state.keepsOldAccessTokens = true
  world.filebox.state.refreshToken = 'refresh-9'

  await world.api.put('/v0/integrations/connections/files').send(fileboxConnection('refresh-9')).expect(200)
  await callOnce(url)

  expect(world.filebox.state.tokenRequests.map(({ body }) => body.refresh_token)).toEqual(['refresh-1', 'refresh-9'])
})

test('hides a token that a third party echoes', async () => {
  const url = await world.listen()
  const echo = { ...call, params: { name: 'request', arguments: { url: `${world.filebox.url}/api/echo-headers` } } }

  const { content } = await callOnce(url, echo)

  expect(content[0].text).toContain('Bearer [secret]')
  expect(content[0].text).not.toContain(world.filebox.state.accessToken)
})

test.each([
  ['another host', 'https://evil.example/api'],
  ['a host with the same prefix', 'HOST.evil.example/api'],
  ['a credential in the URL', 'http://user:pass@HOST/api/x'],
  ['another protocol', 'https://HOST/api/x'],
])('the request tool rejects %s before fetching a token', async (_, address) => {
  const target = address.replace('HOST', new URL(world.filebox.url).host)
  const request = { ...call, params: { name: 'request', arguments: { url: target } } }

  const result = await callOnce(await world.listen(), request)

  expect(result.isError).toBe(true)
  expect(world.filebox.state.apiRequests).toEqual([])
})

test.each([
  ['an API', 'hold'],
  ['a token endpoint', 'holdTokens'],
] as const)('%s that times out causes a tool error that mentions it', async (_, holds) => {
  const outside = thirdParty({ tokenMs: 200, callMs: 200 })
  const hurried = await functionWorld({ adapters: { thirdParty: outside } })
  hurried.filebox.state[holds] = true

  const answer = await hurried.post(await hurried.listen(), call)
  const { result } = (await answer.json()) as Answer
  await hurried.close()
  await outside.close()

  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('did not answer in time') }],
  })
})

test('the request tool reaches any URL at the hosts of the integration', async () => {
  const args = { method: 'POST', url: `${world.filebox.url}/api/new`, query: { a: 1 }, body: { b: [2] } }

  const { content } = await callOnce(await world.listen(), { ...call, params: { name: 'request', arguments: args } })

  expect(JSON.parse(content[0].text)).toEqual({ method: 'POST', url: '/api/new?a=1', body: { b: [2] } })
})

test.each(['/api/huge', '/api/redirect'])('the response at %s becomes a tool error', async (path) => {
  const args = { url: `${world.filebox.url}${path}` }

  const result = await callOnce(await world.listen(), { ...call, params: { name: 'request', arguments: args } })

  expect(result.isError).toBe(true)
  expect(result.content[0].text.length).toBeLessThan(3_000)
})

const goodUntil = async () =>
  (await world.platform.pool.query('select good_until from access_tokens')).rows[0].good_until

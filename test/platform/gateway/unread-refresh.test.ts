// X15: a rotated refresh token in an unreadable refresh response is not lost.
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sealContext } from '../../../src/platform/shared/domain/seal-context.ts'
import type { ThirdPartyDouble } from '../../support/doubles/third-party.ts'
import { type FunctionWorld, fileboxConnection, functionWorld } from '../../support/worlds/function-world.ts'

type Deliver = NonNullable<ThirdPartyDouble['state']['deliver']>

let world: FunctionWorld
beforeEach(async () => {
  world = await functionWorld()
  world.filebox.state.rotates = true
})
afterEach(() => world.close())

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_files', arguments: {} } }
type Result = { isError: boolean; content: [{ text: string }]; _meta?: { code: string } }

const callOnce = async (url: string) => ((await (await world.post(url, call)).json()) as { result: Result }).result

const sent = () => world.filebox.state.tokenRequests.map(({ body }) => body.refresh_token)

const hidden: Deliver = (res, tokens) => void res.json({ result: { grant: tokens } })

const cutOff: Deliver = (res, tokens) => {
  const body = JSON.stringify(tokens)
  res.writeHead(200, { 'Content-Length': String(body.length + 1) })
  res.write(body.slice(0, body.indexOf('refresh_token')), () => res.destroy())
}

/** Another process with a corrected profile. */
async function correctedProfile(members: object): Promise<{ url: string; close(): Promise<void> }> {
  Object.assign(world.filebox.integration, members)
  const other = await world.twin()
  return { url: await other.listen(), close: other.close }
}

test.each<[string, Deliver]>([
  ['in a member', (res, tokens) => void res.json({ data: tokens })],
  ['in a list', (res, tokens) => void res.json([tokens])],
  ['as a form', (res, tokens) => void res.type('text/plain').send(new URLSearchParams({ ...tokens }).toString())],
  ['with a byte order mark', (res, tokens) => void res.send(`\uFEFF${JSON.stringify(tokens)}`)],
  ['compressed', (res, tokens) => void res.set('Content-Encoding', 'gzip').end(gzipSync(JSON.stringify(tokens)))],
])('X15: tokens %s are parsed as onboarding parses them', async (_, deliver) => {
  Object.assign(world.filebox.state, { deliver, expiresIn: '3600' })
  const url = await world.listen()

  const first = await callOnce(url)
  world.filebox.state.accessToken = 'another one'
  const second = await callOnce(url)

  expect([first.isError, second.isError]).toEqual([false, false])
  expect(sent()).toEqual(['refresh-1', 'refresh-2'])
})

test('X15: an unreadable response is kept, sealed, and reported as the operator’s task', async () => {
  world.filebox.state.deliver = hidden
  const url = await world.listen()

  const results = [await callOnce(url), await callOnce(url)]

  const { rows } = await world.platform.pool.query('select resource_id, unread_answer from access_tokens')
  const context = sealContext.unreadAnswer('acme', rows[0].resource_id)
  const kept = JSON.parse(world.platform.adapters.vault.open(rows[0].unread_answer, context).reveal())
  expect(Buffer.from(kept.bytes, 'base64').toString()).toContain('"refresh_token":"refresh-2"')
  expect(sent()).toEqual(['refresh-1'])
  for (const { _meta, content } of results) {
    expect(_meta?.code).toBe('profile_mismatch')
    expect(content[0].text).toMatch(/`tokenAnswer`.*is stored.*Ask the operator/)
    expect(content[0].text).not.toContain('refresh-2')
  }
})

test.each([
  ['is still valid', 3_600, ['refresh-1']],
  ['has expired by then', 0.001, ['refresh-1', 'refresh-2']],
])(
  'X15: a kept response is read once the profile is corrected, even if its access token %s',
  async (_, expiresIn, all) => {
    Object.assign(world.filebox.state, { deliver: hidden, expiresIn })
    await callOnce(await world.listen())
    world.filebox.state.expiresIn = 3_600

    const { url, close } = await correctedProfile({ tokenAnswer: { within: 'result.grant' } })
    const results = [await callOnce(url), await callOnce(url)]
    await close()

    expect(results.map(({ isError }) => isError)).toEqual([false, false])
    expect(sent()).toEqual(all)
  },
)

test("X15: replaced secrets don't wait for a response to older ones", async () => {
  world.filebox.state.deliver = hidden
  const url = await world.listen()
  await callOnce(url)

  Object.assign(world.filebox.state, { deliver: undefined, refreshToken: 'refresh-9' })
  await world.api.put('/v0/integrations/connections/files').send(fileboxConnection('refresh-9')).expect(200)

  expect((await callOnce(url)).isError).toBe(false)
  expect(sent()).toEqual(['refresh-1', 'refresh-9'])
})

test('X15: stores a refresh token that comes without an access token', async () => {
  world.filebox.state.deliver = (res) => void res.json({ refresh_token: 'refresh-2' })
  const url = await world.listen()
  const first = await callOnce(url)
  world.filebox.state.deliver = undefined

  const second = await callOnce(url)

  expect([first._meta?.code, second.isError]).toEqual(['third_party_unavailable', false])
  expect(sent()).toEqual(['refresh-1', 'refresh-2'])
})

test.each([
  ['none', 'cannot be read', false, hidden, 'profile_mismatch'],
  ['none', 'broke off', false, cutOff, 'third_party_unavailable'],
  [undefined, 'broke off', false, cutOff, 'third_party_unavailable'],
  ['single_use', 'broke off', true, cutOff, 'grant_revoked'],
] as const)(
  'X15: rotation "%s", a response that %s: the sent token is held back: %s',
  async (rotation, _, isHeldBack, deliver, code) => {
    Object.assign(world.filebox.state, { deliver, rotates: rotation === 'single_use' })
    const { url, close } = await correctedProfile({ rotation })

    const first = await callOnce(url)
    world.filebox.state.deliver = undefined
    const second = await callOnce(url)
    await close()

    expect(first._meta?.code).toBe(code)
    expect(second.isError).toBe(isHeldBack)
    expect(sent()).toEqual(isHeldBack ? ['refresh-1'] : ['refresh-1', 'refresh-1'])
  },
)

test('X15: an HTML page has not rotated the token', async () => {
  world.filebox.state.deliver = (res) => void res.type('html').send('<!doctype html><h1>Back soon</h1>')
  world.filebox.state.rotates = false
  const url = await world.listen()
  const first = await callOnce(url)
  world.filebox.state.deliver = undefined

  expect([first._meta?.code, (await callOnce(url)).isError]).toEqual(['third_party_unavailable', false])
})

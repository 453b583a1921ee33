// Requests through the HTTP relay that the policy selects are sent with an approval, and not otherwise.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { GatewayError } from '../../../src/contract/error-bodies.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { approvalWorld } from '../../support/worlds/approval-world.ts'
import { functionWorld } from '../../support/worlds/function-world.ts'

afterAll(() => world.close())

const world = await approvalWorld()
const { state } = world.filebox
const owner = await world.endUser('user-1')

const relay = (path: string, init: RequestInit & { duplex?: 'half' } = {}) =>
  fetch(`${world.origin}/acme/functions/files/relay/-/api/${path}`, {
    ...init,
    headers: {
      Authorization: `Bearer ${world.platform.admin.key}`,
      'Content-Type': 'application/json',
      ...(init.headers as Record<string, string>),
    },
  })
const write = (body: string, headers: Record<string, string> = {}): RequestInit => ({ method: 'POST', body, headers })

async function refusedAt(answer: Response): Promise<string> {
  const { error } = (await answer.json()) as GatewayError
  if (error.code !== 'APPROVAL_REQUIRED') throw new Error(`${error.code}: ${error.message}`)
  return /http\S+[A-Za-z0-9_-]{22}/.exec(error.message)?.[0] ?? error.message
}

const statusesOf = async (...answers: Array<Promise<Response>>) =>
  (await Promise.all(answers)).map(({ status }) => status)

test('a write is not sent, and is answered 403 with the URL; a read is sent', async () => {
  const before = state.apiRequests.length

  const [read, written] = [await relay('a'), await relay('a', write('{}'))]

  expect([read.status, written.status]).toEqual([200, 403])
  expect(await refusedAt(written)).toContain(`${world.origin}/oauth/approval/`)
  expect(state.apiRequests).toHaveLength(before + 1)
})

test('once: the same request is sent once; another path, query, body, header or method is not', async () => {
  const sent = (init: RequestInit = {}, path = 'b?x=1') => relay(path, { ...write('{"n":1}'), ...init })
  await world.decide(owner.browser, await refusedAt(await sent()), 'once')
  const before = state.accepted

  const swapped = await statusesOf(
    sent({}, 'c?x=1'),
    sent({}, 'b?x=2'),
    sent({ body: '{"n":2}' }),
    sent({ headers: { 'X-Custom': 'other' } }),
    sent({ method: 'PUT' }),
  )
  const [same, again] = [await sent({ headers: { 'User-Agent': 'other', 'X-Request-Id': '7' } }), await sent()]

  expect(swapped).toEqual([403, 403, 403, 403, 403])
  expect([same.status, again.status, state.accepted - before]).toEqual([200, 403, 1])
  expect(state.apiRequests.at(-1)).toMatchObject({ method: 'POST', url: '/api/b?x=1', body: { n: 1 } })
})

test('for an hour: covers any body and query of one method and path', async () => {
  await world.decide(owner.browser, await refusedAt(await relay('d', write('{"n":1}'))), 'hour')

  const statuses = await statusesOf(
    relay('d?x=1', write('{"n":2}')),
    relay('d', { method: 'DELETE' }),
    relay('e', write('{"n":1}')),
  )

  expect(statuses).toEqual([200, 403, 403])
})

test('a streamed body is compared as a whole, up to 1 MB', async () => {
  const streamed = (text: string) => relay('f', { ...write(''), body: new Blob([text]).stream(), duplex: 'half' })
  await world.decide(owner.browser, await refusedAt(await streamed('{"s":1}')), 'once')

  const statuses = await statusesOf(streamed('{"s":2}'), streamed('{"s":1}'), streamed(`"${'x'.repeat(1024 * 1024)}"`))

  expect(statuses).toEqual([403, 200, 413])
})

test('the page shows method, address, headers and body', async () => {
  const url = await refusedAt(await relay('g?to=ada', write('{"amount":7}', { 'X-Mode': 'fast' })))

  const { text } = await owner.browser.get(url)

  for (const shown of ['relay POST', '/api/g?to=ada', '{&#34;amount&#34;:7}', 'x-mode', 'fast', 'with a key of'])
    expect(text).toContain(shown)
  expect(text).not.toContain(world.platform.admin.key)
})

test('declined: is refused, and a dead grant does not use up an approval', async () => {
  await world.decide(owner.browser, await refusedAt(await relay('h', write('{"n":1}'))), 'decline')
  await world.decide(owner.browser, await refusedAt(await relay('i', write('{"n":1}'))), 'once')
  world.killGrant()
  const dead = await relay('i', write('{"n":1}'))
  await world.relink()

  const [declined, alive] = [await relay('h', write('{"n":1}')), await relay('i', write('{"n":1}'))]

  expect(await refusedAt(declined)).toContain('declined')
  expect([dead.status, alive.status]).toEqual([502, 200])
})

describe('requests that need no approval', () => {
  test('do not ask the store about one', async () => {
    const asked: PropertyKey[] = []
    const approvals = new Proxy({}, { get: (_, name) => (name === 'sweep' ? async () => 0 : asked.push(name)) })
    const file = join(temporaryFolder(), 'policy.json')
    writeFileSync(file, JSON.stringify({ rules: [{ approval: { calls: 'writing' } }] }))
    const plain = await functionWorld({ env: { TOOL_POLICY_FILE: file }, adapters: { approvals: approvals as never } })
    const url = await plain.listen()
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_files', arguments: {} } }

    const statuses = [
      (await plain.post(url, call)).status,
      (await plain.send(url.replace(/mcp$/, 'relay/-/api/a'), 'GET', {})).status,
    ]
    await plain.close()

    expect([statuses, asked]).toEqual([[200, 200], []])
  })
})

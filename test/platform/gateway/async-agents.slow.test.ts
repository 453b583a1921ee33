import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startUpstream } from '../../support/doubles/upstream.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { startPlatformProcess } from '../../support/processes/platform-process.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

// Other processes claim a request of a killed process when its lease expires.
const upstream = await startUpstream()
const file = join(temporaryFolder(), 'runtimes.json')
writeFileSync(file, JSON.stringify({ runtimes: [{ image: 'acme/agent', url: `${upstream.url}/agent` }] }))
const env = { RUNTIMES_FILE: file, EGRESS_ALLOW: new URL(upstream.url).host }
// The process that survives.
const world = await platformWorld({ env })
const configuration = { callbackUrl: `${upstream.url}/callback`, callbackSecret: 'hush', retry: 5 }
await createResource(world.as(world.admin), 'agents', 'own', {
  runtime: { image: 'acme/agent' },
  triggers: [{ type: 'http-async', configuration }],
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})
beforeEach(() => {
  Object.assign(upstream.state, { requests: [], callbacks: [], failingCallbacks: 0, holds: false })
})

/** Sends the request to another process, which is killed as soon as `reached` holds. */
async function acceptAndKill(path: string, reached: () => boolean): Promise<string> {
  const doomed = await startPlatformProcess(world, env)
  const headers = { 'X-Service-Authorization': `Bearer ${world.admin.key}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`${doomed.url}/acme/agents/own${path}?async=true`, {
    method: 'POST',
    headers,
    body: '{"inputs":"CANARY-later"}',
  })
  expect(await answer.json()).toEqual({ success: true })
  await waitFor('the request is on its way', reached)
  await doomed.kill()
  return answer.headers.get('x-request-id') ?? ''
}

const callback = () => waitFor('the callback came', () => upstream.state.callbacks.at(-1), { withinMs: 50_000 })

const nothingLeft = () =>
  waitFor(
    'nothing is left to do',
    async () => {
      const { rows } = await world.pool.query('select count(*)::int as count from async_requests')
      return rows[0].count === 0
    },
    { withinMs: 50_000 },
  )

test('if a process is killed while the agent works, another process resends the request, with a signed callback and the same ID', async () => {
  upstream.state.holds = true
  const id = await acceptAndKill('/held', () => upstream.state.requests.length === 1)

  upstream.state.holds = false
  const { headers, body } = await callback()

  expect(upstream.state.requests.map(({ url }) => url)).toEqual(['/agent/held', '/agent/held'])
  expect(JSON.parse(body)).toMatchObject({ status_code: 200 })
  expect(headers).toMatchObject({
    'x-request-id': id,
    'x-service-signature': `sha256=${createHmac('sha256', 'hush').update(body).digest('hex')}`,
  })
  await nothingLeft()
})

test('if a process is killed before the callback, another process delivers the response without calling the agent again', async () => {
  upstream.state.failingCallbacks = 1_000
  const id = await acceptAndKill('/plain', () => upstream.state.callbacks.length > 0)

  upstream.state.failingCallbacks = 0
  await nothingLeft()

  expect(upstream.state.requests).toHaveLength(1)
  expect(new Set(upstream.state.callbacks.map(({ headers }) => headers['x-request-id']))).toEqual(new Set([id]))
})

test('a waiting request is sealed at rest', async () => {
  upstream.state.holds = true
  await acceptAndKill('/held', () => upstream.state.requests.length === 1)

  const { rows } = await world.pool.query('select * from async_requests')

  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toMatch(/CANARY|hush/)
})

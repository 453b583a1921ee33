import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterEach(() => {
  world.platform.fault = undefined
  world.platform.connections.clear()
  world.platform.functions.clear()
})
afterAll(() => world.close())

async function stopWhen(path: string) {
  world.platform.fault = (request) => (request.method === 'POST' && request.path === path ? 422 : undefined)
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  const { body } = await world.complete(minted, query)
  world.platform.fault = undefined
  return body
}

const resume = (id: string) => world.api('POST', `/links/${id}/resume`)

test.each(['/v0/integrations/connections', '/v0/functions'])(
  'a link that was refused at %s goes on from there and ends linked, with one connection and one function',
  async (path) => {
    const stopped = await stopWhen(path)

    const resumed = await resume(stopped.id)

    expect(stopped).toMatchObject({ status: 'needs_attention', cause: { code: 'platform_refused' } })
    expect(resumed).toMatchObject({ status: 200, body: { id: stopped.id, status: 'linked' } })
    expect([world.platform.connections.size, world.platform.functions.size]).toEqual([1, 1])
    expect(world.provider.seen.tokenRequests.map(({ code }) => code)).toEqual([
      ...new Set(world.provider.seen.tokenRequests.map(({ code }) => code)),
    ])
  },
)

test('the audit says who resumed a link, and from where', async () => {
  const { id } = await stopWhen('/v0/functions')

  await resume(id)

  const { rows } = await world.sql.query(`select * from audit where action = 'link.resumed' and link = $1`, [id])
  const { rows: keys } = await world.sql.query('select id from api_keys')
  expect(rows).toMatchObject([{ actor_kind: 'api_key', actor_id: keys[0].id, facts: { from: 'connection_ready' } }])
})

test('who resumes a link by API may say why, and it stands in the audit', async () => {
  const { id } = await stopWhen('/v0/functions')

  const { status } = await world.api('POST', `/links/${id}/resume`, { reason: 'the quota was raised' })

  const { body } = await world.api('GET', `/audit?linkId=${id}&action=link.resumed`)
  expect([status, body.data[0].reason]).toEqual([200, 'the quota was raised'])
})

test('a link that is still refused needs attention again and can be resumed again', async () => {
  const { id } = await stopWhen('/v0/functions')
  world.platform.fault = () => 422
  const second = await resume(id)
  world.platform.fault = undefined

  const third = await resume(id)

  expect(second.body.status).toBe('needs_attention')
  expect(third.body.status).toBe('linked')
})

test('of two who resume a link at once, one does', async () => {
  const { id } = await stopWhen('/v0/functions')

  const answers = await Promise.all([resume(id), resume(id)])

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('a link that needs no attention is not resumed', async () => {
  const { id } = await stopWhen('/v0/functions')
  await resume(id)

  const { status, body } = await resume(id)

  expect(status).toBe(409)
  expect(body.code).toBe('link_not_resumable')
})

test("to another tenant's key the link is not there", async () => {
  const { id } = await stopWhen('/v0/functions')
  const other = { workspace: 'other', displayName: 'Other', returnUrls: ['https://other.example/'] }
  await world.api('PUT', '/tenants/other', other)
  const { key } = await world.world.apiKeys.create({ name: 'other', tenant: 'other' }, { kind: 'operator' })

  const { status } = await world.apiAs(key.reveal())('POST', `/links/${id}/resume`)

  expect(status).toBe(404)
  expect((await world.api('GET', `/links/${id}`)).body.status).toBe('needs_attention')
})

test('a function that still refuses to answer when a new one would have started needs somebody, and goes on from there', async () => {
  world.platform.fault = ({ path }) => (path.endsWith('/mcp') ? 404 : undefined)
  const minted = await world.mint()
  const { body: waiting } = await world.complete(minted, (await world.consent(minted)).query)
  const tries = await triesUntilStopped(waiting.id)
  const { body: stopped } = await world.api('GET', `/links/${waiting.id}`)
  world.platform.fault = undefined

  const resumed = await resume(waiting.id)

  expect(waiting.status).toBe('pending')
  expect(tries).toBeGreaterThan(5)
  expect(stopped).toMatchObject({ status: 'needs_attention', cause: { code: 'function_failed' } })
  expect(resumed).toMatchObject({ status: 200, body: { status: 'linked' } })
})

/** As if the time of each next try had come at once. */
async function triesUntilStopped(id: string): Promise<number> {
  const makeDue = "update links set due_at = now() where id = $1 and state <> 'needs_attention'"
  for (let tries = 0; ; tries++) {
    const { rowCount } = await world.sql.query(makeDue, [id])
    if (rowCount === 0 || tries === 20) return tries
    await world.flows.sweepLinks()
  }
}

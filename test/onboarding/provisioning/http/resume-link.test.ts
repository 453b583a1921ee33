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
  'resumes a link that was rejected at %s, with one connection and one function',
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

test('audits who resumed a link, why and from which step', async () => {
  const { id } = await stopWhen('/v0/functions')

  const { status } = await world.api('POST', `/links/${id}/resume`, { reason: 'the quota was raised' })

  const { body } = await world.api('GET', `/audit?linkId=${id}&action=link.resumed`)
  expect(status).toBe(200)
  expect(body.data).toMatchObject([
    { reason: 'the quota was raised', actor: { kind: 'api_key' }, facts: { from: 'connection_ready' } },
  ])
})

test('a link that is rejected again can be resumed again', async () => {
  const { id } = await stopWhen('/v0/functions')
  world.platform.fault = () => 422
  const second = await resume(id)
  world.platform.fault = undefined

  const third = await resume(id)

  expect(second.body.status).toBe('needs_attention')
  expect(third.body.status).toBe('linked')
})

test('one of two concurrent resumes succeeds', async () => {
  const { id } = await stopWhen('/v0/functions')

  const answers = await Promise.all([resume(id), resume(id)])

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('rejects resuming a link that needs no attention', async () => {
  const { id } = await stopWhen('/v0/functions')
  await resume(id)

  const { status, body } = await resume(id)

  expect(status).toBe(409)
  expect(body.code).toBe('link_not_resumable')
})

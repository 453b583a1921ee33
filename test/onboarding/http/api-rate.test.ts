import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

const max = 20
let world: OnboardingWorld
beforeAll(async () => {
  world = await startOnboarding({ env: { RATE_API_PER_MINUTE: String(max) } })
})
afterAll(() => world.close())

async function keyOf(tenant: string) {
  const { key } = await world.world.apiKeys.create({ name: `of ${tenant}`, tenant }, { kind: 'operator' })
  return key.reveal()
}

const get = (key: string) =>
  fetch(`${world.url}/api/v1/links`, { headers: { Authorization: `Bearer ${key}` }, redirect: 'manual' })

test('R6: requests are limited per tenant across its keys, and other tenants are not affected', async () => {
  for (const id of ['busy', 'calm'])
    await world.api('PUT', `/tenants/${id}`, { workspace: id, displayName: id, returnUrls: ['https://acme.example/'] })
  const [first, second, calm] = [await keyOf('busy'), await keyOf('busy'), await keyOf('calm')]

  // Two minutes may share them, and then there is one more than both have room for.
  const answers: Response[] = []
  for (let at = 0; at <= 2 * max; at++) answers.push(await get(at % 2 === 0 ? first : second))
  const other = await get(calm)

  const limited = answers.find(({ status }) => status === 429)
  expect(answers[0]?.status).toBe(200)
  expect(limited?.headers.get('content-type')).toContain('application/problem+json')
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await limited?.json()).toMatchObject({
    status: 429,
    code: 'rate_limited',
    detail: `Too many requests: the limit is ${max} in 60 seconds. Try again in ${limited?.headers.get('retry-after')} s.`,
  })
  expect(other.status).toBe(200)
})

test('R6: a deployment key has ten times the limit, because it serves many tenants', async () => {
  const statuses = new Set<number>()
  for (let at = 0; at <= 2 * max; at++) statuses.add((await get(world.key)).status)

  expect(statuses).toEqual(new Set([200]))
})

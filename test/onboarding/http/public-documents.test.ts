import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

const max = 4
let world: OnboardingWorld
beforeAll(async () => {
  world = await startOnboarding({ env: { RATE_BROWSER_PER_MINUTE: String(max) } })
})
afterAll(() => world.close())

const get = (path: string) => fetch(`${world.url}${path}`, { redirect: 'manual' })

test('R11: limits public pages per visitor and minute, and does not block links', async () => {
  // Two minutes may share them, and then there is one more than both have room for.
  const answers: Response[] = []
  for (let at = 0; at <= 2 * 10 * max; at++)
    answers.push(await get(at % 2 === 0 ? '/openapi.json' : '/docs/search.json'))
  const link = await get(`/connect/${'x'.repeat(43)}`)

  expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(200))
  const limited = answers.find(({ status }) => status === 429)
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(link.status).toBe(410)
})

test('T11: unknown paths are counted before a page is rendered', async () => {
  const statuses: number[] = []
  for (let at = 0; at <= 2 * 10 * max; at++) statuses.push((await get(`/nothing/${at}`)).status)

  expect(statuses).toContain(429)
})

test('calls of a function in test mode do not count as pages of a browser', async () => {
  const statuses: number[] = []
  for (let at = 0; at <= 2 * max; at++) {
    const url = `${world.url}/test-provider/functions/con_none/mcp`
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: at, method: 'tools/list' })
    statuses.push((await fetch(url, { method: 'POST', headers, body })).status)
  }

  expect(new Set(statuses)).toEqual(new Set([404]))
})

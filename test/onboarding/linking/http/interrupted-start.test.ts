import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreUnavailable } from '../../../../src/kit/database/store-errors.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let isAway = false
const away = () => new StoreUnavailable(new Error('away'))

beforeAll(async () => {
  world = await startOnboarding({
    env: { CONNECT_COMPLETION: 'optional' },
    replace: ({ pending }) => ({
      pending: {
        ...pending,
        put: (...args) => (isAway ? Promise.reject(away()) : pending.put(...args)),
      },
    }),
  })
})
afterAll(() => world.close())

test('a browser whose start Redis interrupted links by the same page', async () => {
  const { id, url } = await world.mint({ completionChallenge: undefined })
  const browser = new HttpBrowser()
  isAway = true
  const interrupted = await browser.post(url)
  isAway = false

  const { visited } = await world.consent({ id, url, verifier: '' }, browser)

  expect(interrupted.status).toBe(503)
  expect(interrupted.headers.get('refresh')).toBeNull()
  expect(new URL(visited.url).searchParams.get('status')).toBe('linked')
  expect(await world.audit('link.started')).toHaveLength(1)
})

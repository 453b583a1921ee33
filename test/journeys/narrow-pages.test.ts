// Pages on a phone that hold what others named: nothing may stick out sideways, or have to be pushed to be read.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { launchBrowser, newVisitor } from './watched-browser.ts'

// A browser on what may be a small and busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let world: OnboardingWorld
let browser: Browser

beforeAll(async () => {
  const undescribed = { name: `https://provider.example/auth/${'everything.'.repeat(12)}` }
  ;[world, browser] = await Promise.all([
    startOnboarding({ integration: { scopes: [{ name: 'openid' }, undescribed] } }),
    launchBrowser(),
  ])
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

const onPhone = () => newVisitor(browser, { viewport: { width: 390, height: 844 } })

test('a permission that is known by a long name stays within the connect page', async () => {
  const page = await onPhone()

  await page.goto((await world.mint()).url)

  await page.getByText('https://provider.example/auth/').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
})

test.each(['causes', 'problems'])('the %s of the API are read from top to bottom', async (id) => {
  const page = await onPhone()

  await page.goto(`${world.url}/docs#${id}`)

  const hidden = `(() => {
    const wrap = [...document.querySelectorAll('#${id} ~ .table-wrap')][0]
    return wrap.scrollWidth - wrap.clientWidth
  })()`
  expect(await page.evaluate(hidden)).toBeLessThanOrEqual(0)
})

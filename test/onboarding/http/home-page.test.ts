import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

test('the home page links to the catalogue and docs in the browser’s language', async () => {
  const english = await new HttpBrowser().get(`${world.url}/`)
  const german = await fetch(`${world.url}/`, { headers: { 'accept-language': 'de' } }).then((answer) => answer.text())

  expect(english.status).toBe(200)
  expect(english.text).toMatch(/href="\/catalogue"[\s\S]*href="\/docs"/)
  expect(german).toContain('Beginnen Sie in Ihrer App')
})

test('does not link to a console that is off', async () => {
  expect((await new HttpBrowser().get(`${world.url}/`)).text).not.toContain('href="/support"')
})

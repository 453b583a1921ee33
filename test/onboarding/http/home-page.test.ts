import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

test('the bare address says where to go, in the language of the browser', async () => {
  const english = await new HttpBrowser().get(`${world.url}/`)
  const german = await fetch(`${world.url}/`, { headers: { 'accept-language': 'de' } }).then((answer) => answer.text())

  expect(english.status).toBe(200)
  expect(english.text).toMatch(/href="\/catalogue"[\s\S]*href="\/docs"/)
  expect(german).toContain('Konten verbinden')
})

test('a console that is off is not offered', async () => {
  expect((await new HttpBrowser().get(`${world.url}/`)).text).not.toContain('href="/support"')
})

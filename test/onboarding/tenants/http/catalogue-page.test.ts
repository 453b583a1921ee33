import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

const open = async (path: string) => {
  const response = await fetch(`${world.url}${path}`, { headers: { accept: 'text/html' } })
  return { status: response.status, text: await response.text() }
}

test('an app is found, with its mark, its tier and the day on which its facts were read', async () => {
  const { status, text } = await open('/catalogue?q=pipedrive')

  expect(status).toBe(200)
  expect(text).toContain('<a href="/catalogue/pipedrive">Pipedrive</a>')
  expect(text).toContain('<time datetime="2026-11-15">')
  expect(text).toMatch(/data-status="linked">Verified/)
})

test('the pages lead through the whole catalogue', async () => {
  const seen = new Set<string>()
  let next: string | undefined = '/catalogue'
  while (next) {
    const { text } = await open(next)
    for (const [, id = ''] of text.matchAll(/<a href="\/catalogue\/([a-z0-9-]+)">/g)) seen.add(id)
    next = /<a href="([^"]+)" rel="next">/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }

  expect(seen.size).toBeGreaterThanOrEqual(400)
})

test('an app shows its scopes, its registration and its unconfirmed facts', async () => {
  const { text } = await open('/catalogue/quickbooks')

  expect(text).toContain('com.intuit.quickbooks.accounting')
  expect(text).toContain('The company is named in the callback alone (realmId).')
  expect(text).toContain('Not confirmed by any of them')
})

test.each(['/catalogue/no-such-app', '/catalogue/__proto__'])('%s is not found', async (path) => {
  expect((await open(path)).status).toBe(404)
})

test('a search is shown as text', async () => {
  const { text } = await open(`/catalogue?q=${encodeURIComponent('"><script>alert(1)</script>')}`)

  expect(text).not.toContain('<script>alert')
  expect(text).toContain('No app found')
})

test('a value that no option has is answered with a page that says so', async () => {
  expect((await open('/catalogue?category=magic')).status).toBe(422)
})

// The token is the only thing that names a tenant. An unknown one names none, so the page is the deployment's own.
import { expect, onTestFinished, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { startOnboarding } from '../../support/worlds/onboarding-world.ts'

async function startWorld(env: Record<string, string> = {}) {
  const world = await startOnboarding({ env })
  onTestFinished(() => world.close())
  return world
}

const unknown = `/connect/${'x'.repeat(43)}`

test('a mistyped or unknown link leads to the help of the deployment', async () => {
  const world = await startWorld({ SUPPORT_URL: 'https://help.example/linking' })
  const { url } = await world.mint()

  for (const address of [`${world.url}${unknown}`, url.slice(0, -3), `${world.url}/oauth/callback/provider?state=x`]) {
    const { text } = await new HttpBrowser().get(address)

    expect(text).toContain('<a class="button" href="https://help.example/linking" rel="noreferrer">Help</a>')
  }
})

test('without a help address, the page says how to get a working link, and leads to the start page', async () => {
  const world = await startWorld()

  const { status, text } = await new HttpBrowser().get(`${world.url}${unknown}`)

  expect(status).toBe(410)
  expect(text).toContain('Open the link again from where you got it, or ask for a new one.')
  expect(text).toContain('<a class="button" href="/" rel="noreferrer">Go to the start page</a>')
})

test('a link of a known session leads back to its tenant, not to the help', async () => {
  const world = await startWorld({ SUPPORT_URL: 'https://help.example/linking' })
  const { id, url } = await world.mint()
  await world.api('POST', `/connect-sessions/${id}/cancel`)

  const { text } = await new HttpBrowser().get(url)

  expect(text).toContain('Back to Acme</a>')
  expect(text).not.toContain('help.example')
})

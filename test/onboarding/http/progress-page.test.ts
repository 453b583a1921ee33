import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/onboarding-world.ts'
import { waitFor } from '../../support/wait-for.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding({ env: { CONNECT_COMPLETION: 'optional' } })
})
afterAll(() => world.close())

const stepsOf = (text: string) => [...text.matchAll(/<li data-state="(\w+)"/g)].map(([, state]) => state)

/** A user who is back from consent while the platform does not answer as it should. */
async function backWhileDelayed() {
  world.platform.fault = ({ path }) => (/functions$/.test(path) ? 503 : undefined)
  const { url } = await world.mint({ completionChallenge: undefined })
  const browser = new HttpBrowser()
  const atCallback = await browser.follow(await browser.post(url), `${world.url}/oauth/callback`)
  const { headers } = await browser.get(atCallback.url)
  return { browser, page: new URL(headers.get('location') ?? '', world.url).href }
}

const workOn = async () => {
  await world.sql.query(`update links set due_at = now() where state = 'connection_ready'`)
  await world.flows.resumeLinks()
}

test('while it takes long the page says so, shows each step, and then goes on to the tenant', async () => {
  const { browser, page } = await backWhileDelayed()

  const waiting = await browser.get(page)
  world.platform.fault = undefined
  const live = await waitFor('the live part says that it is over', async () => {
    await workOn()
    const part = await browser.get(`${page}?live`)
    return !part.text.includes('id="progress"') && part
  })
  const done = await browser.get(page)

  expect(new URL(page).pathname).toMatch(/^\/links\/lnk_/)
  expect(waiting.status).toBe(200)
  expect(waiting.text).toContain('Linking Provider to Acme')
  expect(waiting.text).toContain('we will finish this without you')
  expect(waiting.text).toContain('Still working')
  expect(stepsOf(waiting.text)).toEqual(['done', 'done', 'done', 'current', 'waiting'])
  expect(live.status).toBe(200)
  expect(done.status).toBe(303)
  const target = new URL(done.headers.get('location') ?? '')
  expect(`${target.origin}${target.pathname}`).toBe('https://acme.example/integrations/return')
  expect(target.searchParams.get('status')).toBe('linked')
})

test('another browser does not see how a link is getting on', async () => {
  const { page } = await backWhileDelayed()

  const { status, text } = await new HttpBrowser().get(page)

  expect(status).toBe(410)
  expect(stepsOf(text)).toEqual([])
})

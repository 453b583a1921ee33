import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepLinks } from '../../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { misbehaviours } from '../../../support/doubles/provider/misbehaviours.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { waitFor } from '../../../support/oracles/wait-for.ts'
import { type OnboardingWorld, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding({ env: { CONNECT_COMPLETION: 'optional' } })
})
afterAll(() => world.close())

const stepsOf = (text: string) => [...text.matchAll(/<li data-state="(\w+)"/g)].map(([, state]) => state)

/** Returns from consent while the platform fails. */
async function backWhileDelayed() {
  world.platform.fault = ({ path }) => (/functions$/.test(path) ? 503 : undefined)
  const { url } = await world.mint({ completionChallenge: undefined })
  const browser = new HttpBrowser()
  const atCallback = await browser.follow(await browser.post(url), `${world.url}/oauth/callback`)
  const { url: page } = await browser.follow(await browser.get(atCallback.url))
  return { browser, page }
}

const workOn = async () => {
  await world.sql.query(`update links set due_at = now() where state = 'connection_ready'`)
  await sweepLinks(world.ports, world.settings)
}

test('shows the progress of a slow link and then redirects to the tenant', async () => {
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
  expect(waiting.text).toContain('Connecting Provider to Acme')
  expect(waiting.text).toContain('We’ll take care of the rest')
  expect(waiting.text).toContain('Still working')
  expect(stepsOf(waiting.text)).toEqual(['done', 'done', 'done', 'current', 'waiting'])
  expect(live.status).toBe(200)
  expect(done.status).toBe(303)
  const target = new URL(done.headers.get('location') ?? '')
  expect(`${target.origin}${target.pathname}`).toBe('https://acme.example/integrations/return')
  expect(target.searchParams.get('status')).toBe('linked')
})

test('each visit renews the cookie, so a long wait still shows the outcome', async () => {
  const { browser, page } = await backWhileDelayed()
  const bound = browser.cookiesFor(page)

  const { headers } = await browser.get(`${page}?live`)

  expect(headers.getSetCookie()).toEqual([expect.stringContaining(`${bound}; Max-Age=900; Path=/;`)])
})

test('returning to the app renews the cookie', async () => {
  const { url } = await world.mint({ completionChallenge: undefined })
  const browser = new HttpBrowser()
  const first = await browser.post(url)
  const bound = browser.cookiesFor(url)
  world.provider.misbehave(misbehaviours.noRefreshToken)

  const again = await browser.post(url)
  const atCallback = await browser.follow(first, `${world.url}/oauth/callback`)
  const asked = await browser.get(atCallback.url)
  const [link] = /\/links\/lnk_\w+/.exec(asked.headers.get('location') ?? '') ?? []
  // The callback redirects to it unless the machine is slow.
  const second = await waitFor('the app is to be asked once more', async () => {
    const visited = await browser.get(`${world.url}${link}/consent`)
    return visited.headers.get('location')?.startsWith(world.provider.url) && visited
  })
  world.provider.calm()

  for (const { headers } of [again, second]) {
    expect(headers.getSetCookie()).toEqual([expect.stringContaining(`${bound}; Max-Age=900; Path=/;`)])
  }
  expect(second.headers.get('location')).toContain(`${world.provider.url}/authorize`)
})

test('another browser cannot see the progress of a link', async () => {
  const { page } = await backWhileDelayed()

  const { status, text, headers } = await new HttpBrowser().get(page)

  expect(status).toBe(410)
  expect(headers.getSetCookie()).toEqual([])
  expect(stepsOf(text)).toEqual([])
})

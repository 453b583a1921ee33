import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { misbehaviours } from '../../../support/doubles/provider/misbehaviours.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let browser: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld({ env: { CONNECT_COMPLETION: 'optional' } })
  browser = await world.signIn(people.agent)
})
beforeEach(() => world.provider.calm())
afterAll(() => world.close())

/** The page of a link that ends at the app, and what was logged of its end. */
async function refusedLink() {
  const minted = await world.mint({ completionChallenge: undefined })
  await world.consent(minted)
  const { body: session } = await world.api('GET', `/connect-sessions/${minted.id}`)
  const { text } = await world.open(browser, `/links/${session.linkId}`)
  const steps = [...text.matchAll(/<li data-state="\w+">.*?<\/li>/gs)].map(([item]) =>
    item.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '),
  )
  const lines = world.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const logged = lines.find(({ event, link }) => event === 'link.ended' && link === session.linkId)
  return { text, steps, logged }
}

test('a token endpoint that reports an error with status 200 issued no grant, and none is revoked', async () => {
  world.provider.misbehave(misbehaviours.invalidRequestWithStatus200)

  const { text, steps, logged } = await refusedLink()

  expect(steps.slice(-2)).toEqual([
    expect.stringContaining('Token response received and sealed'),
    expect.stringMatching(/Failed.*The app says that our request is not valid; detail: invalid request/),
  ])
  expect(steps.join()).not.toContain('grant: revoked')
  expect(text).toContain('Ask your operator to correct the settings of this app.')
  expect(logged).toMatchObject({ cause: 'request_rejected', detail: 'invalid_request' })
})

test("an error of the app's authorization page is in the timeline and the log, by its code", async () => {
  world.provider.misbehave({ callback: { code: undefined, error: 'unmet_authentication_requirements' } })

  const { steps, logged } = await refusedLink()

  expect(steps.at(-1)).toMatch(/Failed.*The app could not ask for consent; detail: unmet authentication requirements/)
  expect(logged).toMatchObject({ cause: 'consent_failed', detail: 'unmet_authentication_requirements' })
})

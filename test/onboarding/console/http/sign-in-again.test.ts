// Who has to prove again who they are before they change something.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure, type FailureCode } from '../../../../src/onboarding/domain/failure.ts'
import { consoleErrorLocals } from '../../../../src/onboarding/http/locals/console-error.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'
import { titleOf } from '../../../support/worlds/relink-world.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await startConsoleWorld()
})
afterAll(() => world.close())

const nextPage = (code: FailureCode, at: string) =>
  consoleErrorLocals(new Failure(code, 'Not now.'), 'req_1', at).nextPage?.href

describe('who has to sign in before they go on', () => {
  const actions = [
    ['/connections/con_1/relink', '/support/connections/con_1'],
    ['/connections/con_1/addresses/ses_1/cancel', '/support/connections/con_1'],
    ['/links/lnk_1/resume', '/support/links/lnk_1'],
    ['/webhooks/acme/evt_1.whk_1/replay', '/support/webhooks/acme/evt_1.whk_1'],
  ] as const

  const nextPageIn = (text: string) => /<a [^>]*href="([^"]*)"[^>]*>Sign in<\/a>/.exec(text)?.[1]?.replace('&amp;', '&')

  test.each(actions)('from %s comes back to %s', async (path, page) => {
    world.issuer.provedSecondsAgo = 16 * 60
    const stale = await world.signIn(people.agent)
    world.issuer.provedSecondsAgo = 0

    const refused = await world.send(stale, path, { reason: 'ticket 1' })
    const start = await stale.get(new URL(nextPageIn(refused.text) ?? '', world.url).href)
    const { url } = await stale.follow(start, `${world.url}${page}`)

    expect([refused.status, titleOf(refused)]).toEqual([403, 'Please confirm it’s you'])
    expect(url).toBe(`${world.url}${page}`)
  })

  test('whose session has ended is offered the same', () => {
    expect(nextPage('sign_in_needed', '/support/links/lnk_1/resume')).toBe(
      '/support/sign-in?next=%2Fsupport%2Flinks%2Flnk_1',
    )
  })

  test.each([
    ['/support/doctor/gmail/examine', '/support/doctor/gmail'],
    ['/support/campaigns', '/support/campaigns'],
    ['/support/campaigns/cmp_1/cancel', '/support/campaigns/cmp_1'],
    ['/support/campaigns/new?cause=code_refused', '/support/campaigns'],
  ])('from %s goes on at %s', (at, page) => {
    expect(nextPage('sign_in_stale', at)).toBe(`/support/sign-in/start?again&next=${encodeURIComponent(page)}`)
  })

  test.each([
    '/support//evil.example/x',
    '/support/connections/..%2f..%2fconnect/relink',
    '/support/links/"><b>/resume',
  ])('is led nowhere else by %s', (at) => {
    expect(nextPage('sign_in_stale', at)).toMatch(/^\/support\/sign-in\/start\?again&next=%2Fsupport$/)
  })
})

describe('where the issuer does not say when somebody proved who they are', () => {
  let agent: HttpBrowser

  beforeAll(async () => {
    world.issuer.claims = { auth_time: undefined }
    agent = await world.signIn(people.agent)
  })
  afterAll(() => {
    world.issuer.claims = {}
  })

  test('the page says that, and not that it was long ago', async () => {
    const minted = await world.mint()
    const { body } = await world.complete(minted, (await world.consent(minted)).query)

    const { text } = await world.open(agent, `/connections/${body.connection.id}`)

    expect(text).toContain('doesn’t say when you last signed in')
    expect(text).not.toContain('more than 15 minutes ago')
    expect(text).not.toContain('<form class="action-form"')
  })

  test('so does the answer to a form that is sent all the same, and nothing happens', async () => {
    const refused = await world.send(agent, '/connections/con_1/relink', { reason: 'ticket 1' })

    expect([refused.status, titleOf(refused)]).toEqual([403, 'Changes are turned off'])
    expect(refused.text).toContain('auth_time')
    expect(refused.text).not.toContain('more than 15 minutes')
  })

  test('a sign-in that was asked for anew proves nothing either, and says the same', async () => {
    const visited = await agent.follow(await world.open(agent, '/sign-in/start?again'))

    expect([visited.status, titleOf(visited)]).toEqual([403, 'Changes are turned off'])
  })
})

import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure, type FailureCode } from '../../../../src/onboarding/domain/failure.ts'
import { consoleErrorLocals } from '../../../../src/onboarding/http/locals/console-error.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'
import { titleOf } from '../../../support/worlds/relink-world.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await startConsoleWorld()
})
afterAll(() => world.close())

const nextPage = (code: FailureCode, at: string) =>
  consoleErrorLocals(new Failure(code, 'Not now.'), 'req_1', at).nextPage?.href

describe('a user without a session', () => {
  test('returns to the page after the session has ended', () => {
    expect(nextPage('sign_in_needed', '/support/links/lnk_1/resume')).toBe(
      '/support/sign-in?next=%2Fsupport%2Flinks%2Flnk_1',
    )
  })

  test.each([
    ['/support/doctor/gmail/examine', '/support/doctor/gmail'],
    ['/support/tenants/acme/webhooks/whk_1/delete', '/support/tenants/acme'],
    ['/support/keys', '/support/keys'],
    ['/support/campaigns', '/support/campaigns'],
    ['/support/campaigns/cmp_1/cancel', '/support/campaigns/cmp_1'],
    ['/support/campaigns/new?cause=code_refused', '/support/campaigns'],
  ])('from %s continues at %s', (at, page) => {
    expect(nextPage('sign_in_stale', at)).toBe(`/support/sign-in/start?again&next=${encodeURIComponent(page)}`)
  })

  test.each([
    '/support//evil.example/x',
    '/support/connections/..%2f..%2fconnect/relink',
    '/support/links/"><b>/resume',
  ])('is not redirected elsewhere by %s', (at) => {
    expect(nextPage('sign_in_stale', at)).toMatch(/^\/support\/sign-in\/start\?again&next=%2Fsupport$/)
  })
})

describe('a form from a user who must sign in', () => {
  const sent = { reason: 'ticket 1' }

  test('is rejected with a way to sign in and back to its page', async () => {
    const agent = await world.signIn()
    await world.send(agent, '/sign-out')

    const refused = await agent.post(`${world.url}/support/keys/key_1/revoke`, sent)

    expect([refused.status, titleOf(refused)]).toEqual([401, 'Please sign in again'])
    expect(refused.text).toContain('href="/support/sign-in?next=%2Fsupport%2Fkeys%2Fkey_1"')
  })

  test('is rejected after 15 minutes with a way to re-authenticate', async () => {
    world.issuer.provedSecondsAgo = 16 * 60
    const stale = await world.signIn()
    world.issuer.provedSecondsAgo = 0

    const refused = await world.send(stale, '/connections/con_1/relink', sent)

    expect([refused.status, titleOf(refused)]).toEqual([403, 'Please confirm it’s you'])
    expect(refused.text).toContain('/support/sign-in/start?again&amp;next=%2Fsupport%2Fconnections%2Fcon_1"')
  })
})

describe('if the issuer does not send auth_time', () => {
  let agent: HttpBrowser

  beforeAll(async () => {
    world.issuer.claims = { auth_time: undefined }
    agent = await world.signIn(people.agent)
  })
  afterAll(() => {
    world.issuer.claims = {}
  })

  test('the page explains it instead of reporting a stale sign-in', async () => {
    const minted = await world.mint()
    const { body } = await world.complete(minted, (await world.consent(minted)).query)

    const { text } = await world.open(agent, `/connections/${body.connection.id}`)

    expect(text).toContain('doesn’t say when you last signed in')
    expect(text).not.toContain('more than 15 minutes ago')
    expect(text).not.toContain('<form class="action-form"')
  })

  test('a form is rejected with the same message', async () => {
    const refused = await world.send(agent, '/connections/con_1/relink', { reason: 'ticket 1' })

    expect([refused.status, titleOf(refused)]).toEqual([403, 'Changes are turned off'])
    expect(refused.text).toContain('auth_time')
    expect(refused.text).not.toContain('more than 15 minutes')
  })

  test('a new sign-in is rejected with the same message', async () => {
    const visited = await agent.follow(await world.open(agent, '/sign-in/start?again'))

    expect([visited.status, titleOf(visited)]).toEqual([403, 'Changes are turned off'])
  })
})

test('on another host name, users are sent to the host of the redirect URI', async () => {
  const at = `${world.url.replace('127.0.0.1', 'localhost')}/support/sign-in?next=/support/audit`
  const answer = await fetch(at, { redirect: 'manual' })

  expect(answer.headers.get('location')).toBe(`${world.url}/support/sign-in/start?next=%2Fsupport%2Faudit`)
})

test('actions stay visible after 15 minutes, and lead to the sign-in and back', async () => {
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  const path = `/connections/${body.connection.id}`
  world.issuer.provedSecondsAgo = 16 * 60
  const agent = await world.signIn()
  world.issuer.provedSecondsAgo = 0
  const { text } = await world.open(agent, path)

  const again = `href="/support/sign-in/start?again&amp;next=${encodeURIComponent(`/support${path}`)}"`
  for (const title of ['Create a reconnect link', 'Check health now', 'Disconnect'])
    expect(text).toContain(`<a ${again}>${title}</a>`)
  expect(text).not.toContain('<form class="action-form"')
})

describe('a page of the console', () => {
  test('leads a new visitor to the issuer and back in one step', async () => {
    const visitor = new HttpBrowser()

    const landed = await visitor.follow(await world.open(visitor, '/tenants'))

    expect([landed.status, titleOf(landed)]).toEqual([200, 'Tenants'])
  })

  test('says once that the session has ended, and leads back', async () => {
    const agent = await world.signIn()
    await endSessions()
    const landed = await agent.follow(await world.open(agent, '/tenants'))
    const [, again = ''] = /href="([^"]*sign-in\/start[^"]*)"/.exec(landed.text) ?? []
    const back = await agent.follow(await agent.get(again.replaceAll('&amp;', '&')))

    expect([landed.status, titleOf(landed)]).toEqual([200, 'You were signed out'])
    expect(landed.text).toContain('15 minutes without activity')
    expect(titleOf(back)).toBe('Tenants')
  })

  test('says nothing after a sign-out', async () => {
    const agent = await world.signIn()
    await world.send(agent, '/sign-out')
    const answer = await world.open(agent, '/tenants')

    expect(answer.headers.get('location')).toBe('/support/sign-in?next=%2Fsupport%2Ftenants')
  })
})

/** As if they were idle for too long. */
async function endSessions() {
  const redis = new Redis(world.redis.url)
  for (const key of await redis.keys('onboarding:console:session:*')) await redis.del(key)
  redis.disconnect()
}

// Who has to prove again who they are before they change something.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure, type FailureCode } from '../../../../src/onboarding/domain/failure.ts'
import { consoleErrorLocals } from '../../../../src/onboarding/http/locals/console-error.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { refusalIn, shownForm } from '../../../support/http/shown-form.ts'
import { type ConsoleWorld, formsIn, startConsoleWorld } from '../../../support/worlds/console-world.ts'
import { titleOf } from '../../../support/worlds/relink-world.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await startConsoleWorld()
})
afterAll(() => world.close())

const nextPage = (code: FailureCode, at: string) =>
  consoleErrorLocals(new Failure(code, 'Not now.'), 'req_1', at).nextPage?.href

describe('who has to sign in before they go on', () => {
  test('whose session has ended comes back to the page', () => {
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

describe('a form whose sender has to sign in first', () => {
  let connection: string
  beforeAll(async () => {
    const minted = await world.mint()
    connection = (await world.complete(minted, (await world.consent(minted)).query)).body.connection.id
  })

  const typed = { days: '7', reason: 'ticket <7>' }
  const relink = () => `/support/connections/${connection}/relink`
  const formOn = async (browser: HttpBrowser, page: string, action: string) =>
    formsIn((await world.open(browser, page)).text).find((each) => each.action === action)?.fields
  const post = (browser: HttpBrowser, action: string, fields: Record<string, string> = {}) =>
    browser.post(`${world.url}${action}`, fields)
  const signInIn = (text: string) => /<a [^>]*href="([^"]*)" target="_blank"[^>]*>Sign in<\/a>/.exec(text)?.[1]
  /** What the page that keeps a form sends on. */
  const keptIn = (text: string) => {
    const [, form = ''] = /name="form" value="([^"]*)"/.exec(text) ?? []
    return { form: form.replaceAll('&#34;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>') }
  }
  const goOn = (browser: HttpBrowser, text: string) => post(browser, '/support/form-again', keptIn(text))
  const links = async () =>
    (await world.sql.query('select 1 from connect_sessions where connection_id = $1', [connection])).rowCount ?? 0

  /** Signed in so long ago that nothing may be changed. */
  async function staleBrowser(person = people.agent) {
    world.issuer.provedSecondsAgo = 16 * 60
    const stale = await world.signIn(person)
    world.issuer.provedSecondsAgo = 0
    return stale
  }

  test('is filled in again once they have, and does what it asks for when it is sent from there', async () => {
    const agent = await world.signIn()
    const fields = await formOn(agent, `/connections/${connection}`, relink())
    await world.send(agent, '/sign-out')
    const before = await links()

    const refused = await post(agent, relink(), { ...fields, ...typed })
    const tooEarly = await goOn(agent, refused.text)
    await world.signIn(people.agent, agent)
    const back = await goOn(agent, tooEarly.text)
    const between = await links()
    const sent = await post(agent, relink(), { ...formsIn(back.text).find(isRelink)?.fields, ...typed })

    expect([refused.status, titleOf(refused)]).toEqual([401, 'Please sign in again'])
    expect(signInIn(refused.text)).toBe('/support/sign-in?next=%2Fsupport%2Fsigned-in')
    expect(refused.text).not.toContain(fields?.csrf)
    expect([tooEarly.status, keptIn(tooEarly.text)]).toEqual([401, keptIn(refused.text)])
    expect([back.status, shownForm(back.text, relink())]).toEqual([200, { holds: typed, faults: {}, isFolded: false }])
    expect(refusalIn(back.text).text).toContain('Your form wasn’t sent Nothing was changed.')
    expect([between, sent.status, await links()]).toEqual([before, 200, before + 1])
  })

  const isRelink = ({ action }: { action: string }) => action === relink()

  test('is kept until they have proved again who they are', async () => {
    const stale = await staleBrowser()

    const refused = await world.send(stale, `/connections/${connection}/relink`, typed)
    const tooEarly = await goOn(stale, refused.text)
    const start = await stale.get(`${world.url}${signInIn(refused.text)?.replace('&amp;', '&')}`)
    const signedIn = await stale.follow(start)
    const back = await goOn(stale, tooEarly.text)

    expect([refused.status, titleOf(refused)]).toEqual([403, 'Please confirm it’s you'])
    expect([tooEarly.status, keptIn(tooEarly.text)]).toEqual([403, keptIn(refused.text)])
    expect([signedIn.url, titleOf(signedIn)]).toEqual([`${world.url}/support/signed-in`, 'You’re signed in'])
    expect(shownForm(back.text, relink()).holds).toEqual(typed)
  })

  test('is not lost either if they signed in again in another tab, and still does nothing by itself', async () => {
    const agent = await world.signIn()
    const fields = await formOn(agent, `/connections/${connection}`, relink())
    await world.signIn(people.agent, agent)
    const before = await links()

    const refused = await post(agent, relink(), { ...fields, ...typed })
    const back = await goOn(agent, refused.text)

    expect([refused.status, titleOf(refused)]).toEqual([403, 'You signed in again since you opened this form'])
    expect(signInIn(refused.text)).toBeUndefined()
    expect([shownForm(back.text, relink()).holds, await links()]).toEqual([typed, before])
  })

  test('comes back without its secret, and asks for it', async () => {
    const stale = await staleBrowser(people.admin)
    const client = {
      integration: 'provider',
      clientId: 'their-client',
      clientSecret: 'CANARY-secret',
      reason: 'ticket 1',
    }

    const refused = await world.send(stale, '/tenants/acme/oauth-clients', client)
    await world.signIn(people.admin, stale)
    const back = await goOn(stale, refused.text)

    const { holds, faults } = shownForm(back.text, '/support/tenants/acme/oauth-clients')
    expect(`${refused.text}${back.text}`).not.toContain('CANARY')
    expect(holds).toMatchObject({ clientId: 'their-client', clientSecret: '' })
    expect(faults).toEqual({ clientSecret: 'Client secret: enter it again, because it isn’t kept.' })
  })

  test('of another site is never kept, nor filled in for somebody who is signed in', async () => {
    const [stranger, agent] = [new HttpBrowser(), await world.signIn()]
    const fields = { csrf: `${'t'.repeat(43)}.${'f'.repeat(16)}`, ...typed, reason: 'CANARY' }
    const form = JSON.stringify({ action: relink(), sent: { ...typed, reason: 'CANARY' } })
    const evil = { Origin: 'https://evil.example' }
    const forAgent = `${world.url}/support/form-again`

    const answers = [
      await stranger.post(`${world.url}${relink()}`, fields, evil),
      await agent.post(`${world.url}${relink()}`, fields, evil),
      await agent.post(forAgent, { form }, evil),
      await agent.post(forAgent, { form }, { 'Sec-Fetch-Site': 'same-site' }),
      // From our own pages, but none of them has such a form.
      await stranger.post(`${world.url}${relink()}`, { ...fields, csrf: 'x' }),
      await stranger.post(`${world.url}/support/sign-out`, fields),
    ]

    expect(answers.map(({ status }) => status)).toEqual([401, 403, 403, 403, 401, 401])
    for (const { text } of answers) expect(text).not.toMatch(/CANARY|form-again/)
  })

  test.each([
    'nonsense',
    '{"action":"https://evil.example/","sent":{}}',
    '{"action":"/support/sign-out","sent":{}}',
    '{"action":"/support/../connect/x","sent":{}}',
    '{"action":"/support/tenants","sent":{"id":{"a":1}}}',
  ])('is not what %s is', async (form) => {
    const answer = await post(await world.signIn(), '/support/form-again', { form })

    expect([answer.status, titleOf(answer)]).toEqual([400, 'Your request didn’t arrive complete'])
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

test('by another name of this machine people are led to the address that they come back to', async () => {
  const page = await fetch(`${world.url.replace('127.0.0.1', 'localhost')}/support/sign-in?next=/support/audit`)

  expect(await page.text()).toContain(`href="${world.url}/support/sign-in/start?next=%2Fsupport%2Faudit"`)
})

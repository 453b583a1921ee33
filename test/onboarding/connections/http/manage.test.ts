import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type RelinkWorld, startRelinking, titleOf } from '../../../support/worlds/relink-world.ts'

let world: RelinkWorld
beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

const mint = async (id: string, more: object = {}): Promise<{ id: string; url: string }> => {
  const answer = await world.api('POST', '/manage-sessions', { tenantId: 'acme', endUser: { id }, ...more })
  if (answer.status !== 201) throw new Error(`not minted: ${JSON.stringify(answer.body)}`)
  return answer.body
}
const open = async (id: string, more: object = {}) => {
  const [session, browser] = [await mint(id, more), new HttpBrowser()]
  return { session, browser, page: await browser.follow(await browser.get(session.url)) }
}
const linkAs = (id: string) => world.link({ endUser: { id } })

test('the token is removed from the URL by a redirect, and does not work in another browser', async () => {
  await linkAs('first')
  const { session, page } = await open('first')

  const other = await new HttpBrowser().get(session.url)

  expect(titleOf(page)).toBe('Your accounts connected to Acme')
  expect(page.url).toBe(`${world.url}/manage/${session.id}`)
  expect(page.text).toContain('first@provider.example')
  expect(page.text).not.toContain(session.url.split('/').at(-1))
  expect(other.status).toBe(410)
  expect((await new HttpBrowser().get(page.url)).status).toBe(410)
  expect((await world.api('GET', `/manage-sessions/${session.id}`)).body.status).toBe('opened')
})

test('an ended page still names the tenant to its own browser only', async () => {
  const { session, browser, page } = await open('over')
  await world.api('POST', `/manage-sessions/${session.id}/revoke`)

  const [own, other] = [await browser.get(page.url), await new HttpBrowser({ Cookie: 'cm-x=y' }).get(page.url)]

  expect([own.status, other.status]).toEqual([410, 410])
  expect(own.text).toMatch(/<title>[^<]* · Acme<\/title>/)
  expect(other.text).not.toContain('Acme')
})

test('a link that cannot be opened again says why', async () => {
  const [opened, ended, cancelled] = [await open('why'), await open('why'), await mint('why')]
  await ended.browser.post(`${ended.page.url}/end`)
  await world.api('POST', `/manage-sessions/${cancelled.id}/revoke`)

  const titles = await Promise.all(
    [opened.session, ended.session, cancelled].map(async ({ url }) => titleOf(await new HttpBrowser().get(url))),
  )

  expect(titles).toEqual([
    'This link is open in another window',
    'This link was already used',
    'This link was cancelled',
  ])
})

test.each([
  ['an image', 'GET', { 'Sec-Fetch-Dest': 'image' }, 422],
  ['a prerendered page', 'GET', { 'Sec-Purpose': 'prefetch;prerender' }, 422],
  ['a HEAD request', 'HEAD', {}, 405],
])('S7: %s does not open the page, and its user can still open it', async (_what, method, headers, status) => {
  const session = await mint('ahead')

  const ahead = await fetch(session.url, { method, headers: headers as Record<string, string>, redirect: 'manual' })

  expect([ahead.status, ahead.headers.get('set-cookie')]).toEqual([status, null])
  expect((await world.api('GET', `/manage-sessions/${session.id}`)).body.status).toBe('created')
  expect((await new HttpBrowser().get(session.url)).status).toBe(303)
})

test('the page is in the user’s language and links back to the tenant', async () => {
  const returnUrl = 'https://acme.example/integrations/return'
  const { page } = await open('nobody', { locale: 'de', returnUrl })

  expect(page.text).toContain('Es ist kein Konto verbunden. Um eines zu verbinden, kehren Sie zu Acme zurück')
  expect(page.text).not.toContain('kann auf diese Konten zugreifen')
  expect(page.text).toContain('<button>Zurück zu Acme</button>')
})

test('the user reconnects an account and returns to its page', async () => {
  const connection = await linkAs('again')
  const { session, browser } = await open('again')
  const at = `${world.url}/manage/${session.id}/connections/${connection}`

  const connect = await browser.follow(await browser.post(`${at}/relink`))
  const back = await browser.follow(await browser.post(connect.url), `${world.url}/manage`)
  const page = await browser.get(back.url)

  expect(titleOf(connect)).toBe('Reconnect Provider to Acme')
  expect(back.url).toBe(`${at}?result=linked`)
  expect(page.text).toContain('The account is reconnected')
  expect(await world.connection(connection)).toMatchObject({ relinkedAt: expect.any(String) })
})

test('the user disconnects after reading the consequences', async () => {
  const connection = await linkAs('leaving')
  const { session, browser } = await open('leaving')
  const at = `${world.url}/manage/${session.id}/connections/${connection}/disconnect`

  const asked = await browser.get(at)
  const before = await world.connection(connection)
  const page = await browser.follow(await browser.post(at))

  expect(titleOf(asked)).toBe('Disconnect Provider from Acme?')
  expect(before.status).toBe('active')
  expect(page.text).toContain('The account is disconnected')
  expect(await world.connection(connection)).toMatchObject({ status: 'disconnected' })
})

test('after a disconnect, going back and submitting again show that it is done', async () => {
  const connection = await linkAs('twice')
  const { session, browser } = await open('twice')
  const at = `${world.url}/manage/${session.id}/connections/${connection}`
  await browser.follow(await browser.post(`${at}/disconnect`))

  const [shown, asked, pressed, reconnected] = [
    await browser.follow(await browser.get(at)),
    await browser.follow(await browser.get(`${at}/disconnect`)),
    await browser.follow(await browser.post(`${at}/disconnect`)),
    await browser.follow(await browser.post(`${at}/relink`)),
  ]

  for (const page of [shown, asked, pressed, reconnected]) {
    expect(page.url).toBe(`${world.url}/manage/${session.id}?result=disconnected`)
    expect(page.text).toContain('The account is disconnected')
  }
})

test('lists the granted permissions without identity scopes', async () => {
  const connection = await linkAs('allowing')
  const scopes = ['openid', 'offline_access', 'calendar.read']
  await world.sql.query('update connections set scopes = $2 where id = $1', [connection, scopes])
  const { session, browser } = await open('allowing')

  const page = await browser.get(`${world.url}/manage/${session.id}/connections/${connection}`)

  expect(page.text).toContain('<span>calendar.read</span>')
  expect(page.text).not.toMatch(/<span>(openid|offline_access)<\/span>/)
})

test('a form of another site is rejected and audited', async () => {
  const connection = await linkAs('tricked')
  const { session, browser } = await open('tricked')
  const at = `${world.url}/manage/${session.id}/connections/${connection}/disconnect`

  const answer = await browser.post(at, {}, { 'Sec-Fetch-Site': 'cross-site' })

  expect(answer.status).toBe(403)
  expect(await world.connection(connection)).toMatchObject({ status: 'active' })
  expect(await world.audit('manage.rejected')).toContainEqual(expect.objectContaining({ subject_id: session.id }))
})

test('a revoked page returns 410, even if it is open', async () => {
  const { session, browser, page } = await open('signed-out')

  const revoked = await world.api('POST', `/manage-sessions/${session.id}/revoke`)

  expect(page.status).toBe(200)
  expect(revoked.body.status).toBe('revoked')
  expect((await browser.get(page.url)).status).toBe(410)
})

test.each(['?result=<script>', '?result=nothing', '?result=linked&result=pending'])(
  'an edited URL (%s) shows the page',
  async (query) => {
    const { browser, page } = await open('editing')

    const edited = await browser.get(`${page.url}${query}`)

    expect([edited.status, edited.text.includes('<script>')]).toEqual([200, false])
  },
)

test('a connection with an unknown account refers the user to the tenant for a re-link', async () => {
  const connection = await linkAs('nameless')
  await world.sql.query('update connections set account_id = null, account_label = null where id = $1', [connection])
  const { session, browser } = await open('nameless')
  const at = `${world.url}/manage/${session.id}/connections/${connection}`

  const page = await browser.get(at)
  const forced = await browser.post(`${at}/relink`)

  expect(page.text).toContain('To reconnect this account, go back to Acme and start there.')
  expect(page.text).not.toContain(`${connection}/relink`)
  expect(forced.status).toBe(422)
})

test('ending the page returns to the tenant and clears its cookie', async () => {
  await linkAs('done')
  const returnUrl = 'https://acme.example/integrations/return'
  const { session, browser, page } = await open('done', { locale: 'fr', returnUrl })
  const at = `${world.url}/manage/${session.id}`

  const ended = await browser.post(`${at}/end`)

  expect(page.text).toContain('<button>Retour à Acme</button>')
  expect(ended.status).toBe(200)
  expect(ended.headers.get('refresh')).toBe(`0; url=${returnUrl}`)
  expect(ended.text).toContain(`href="${returnUrl}"`)
  expect(browser.cookiesFor(at)).not.toContain('cm-')
  expect((await browser.get(at)).status).toBe(410)
  expect((await browser.get(session.url)).status).toBe(410)
  expect((await world.api('GET', `/manage-sessions/${session.id}`)).body.status).toBe('revoked')
})

test('ending the page without a return URL shows a closing page', async () => {
  await linkAs('closing')
  const { session, browser, page } = await open('closing', { locale: 'fr' })

  const ended = await browser.post(`${world.url}/manage/${session.id}/end`)

  expect(page.text).toContain('<button>Fermer</button>')
  expect(titleOf(ended)).toBe('Cette page est fermée')
  expect(ended.text).toContain('href="https://acme.example/"')
})

test('a form of another site cannot close the page', async () => {
  const { session, browser } = await open('first')
  const at = `${world.url}/manage/${session.id}`

  const sent = await browser.post(`${at}/end`, {}, { Origin: 'https://evil.example' })

  expect(sent.status).toBe(403)
  expect((await browser.get(at)).status).toBe(200)
})

import * as oauth from 'openid-client'
import { afterAll, describe, expect, test } from 'vitest'
import { type Filebox, startFilebox } from '../../src/demo/filebox/filebox.ts'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

const redirectUri = 'http://127.0.0.1:3000/oauth/callback/filebox'
const client = { id: 'causeway', secret: 'a-secret-only-for-this-test', name: 'Causeway', redirectUris: [redirectUri] }
// biome-ignore lint/suspicious/noExplicitAny: responses of several endpoints
type Answer = any

const first = { email: 'first@filebox.example', password: 'filebox-first' }
const second = { email: 'second@filebox.example', password: 'filebox-second' }

const start = (more: { rotateRefreshTokens?: boolean } = {}) =>
  startFilebox({ host: '127.0.0.1', port, publicUrl: `http://localhost:${port}`, databaseUrl, client, ...more })

const databaseUrl = await createTestDatabase()
const port = await freePort()
let filebox: Filebox = await start()

afterAll(() => filebox.close())

describe('a first visit', () => {
  test('signs in, asks for consent in plain words, and returns a refresh token', async () => {
    const app = await appOf()
    const browser = new HttpBrowser()

    const signIn = await browser.follow(await browser.get(app.address({ access_type: 'offline' }).href))
    const consent = await browser.follow(await browser.post(actionOf(signIn.text, 'sign-in'), first))
    const back = await browser.follow(await browser.post(actionOf(consent.text, 'allow')), redirectUri)
    const tokens = await app.exchange(back.url)

    expect(signIn.text).toContain('Sign in to Filebox')
    expect(consent.text).toContain('Causeway wants to access your Filebox')
    expect(consent.text).toContain('See your files')
    expect(consent.text).toContain('Keep access when you’re not using')
    expect(new URL(back.url).searchParams.get('iss')).toBe(filebox.url)
    expect(tokens.refresh_token).toBeTypeOf('string')
    expect(tokens.claims()).toMatchObject({ sub: 'account-1', email: 'first@filebox.example' })
  })

  test('shows the sign-in page with a message after a wrong password', async () => {
    const app = await appOf()
    const browser = new HttpBrowser()

    const signIn = await browser.follow(await browser.get(app.address().href))
    const again = await browser.post(actionOf(signIn.text, 'sign-in'), { ...first, password: 'guess' })

    expect(again.status).toBe(422)
    expect(again.text).toContain('Wrong email or password')
  })

  test('returns access_denied and the state if the user denies', async () => {
    const app = await appOf()
    const browser = new HttpBrowser()

    const consent = await signedIn(browser, app.address({ access_type: 'offline', prompt: 'consent' }), second)
    const back = await browser.follow(await browser.post(actionOf(consent.text, 'deny')), redirectUri)

    const answer = new URL(back.url).searchParams
    expect(answer.get('error')).toBe('access_denied')
    expect(answer.get('state')).toBe(app.state)
    expect(answer.get('code')).toBeNull()
  })

  test('can switch to another account', async () => {
    const app = await appOf()
    const browser = new HttpBrowser()

    const consent = await signedIn(browser, app.address({ prompt: 'consent' }), first)
    const signIn = await browser.follow(await browser.post(actionOf(consent.text, 'switch')))
    const other = await browser.follow(await browser.post(actionOf(signIn.text, 'sign-in'), second))

    expect(consent.text).toContain('signed in as first@filebox.example')
    expect(other.text).toContain('signed in as second@filebox.example')
  })
})

describe('a returning user, as at Google', () => {
  test('gets a code without a page and no refresh token, in any browser', async () => {
    await linked(first)
    const app = await appOf()
    const browser = new HttpBrowser()

    const signIn = await browser.follow(await browser.get(app.address({ access_type: 'offline' }).href))
    const back = await browser.follow(await browser.post(actionOf(signIn.text, 'sign-in'), first), redirectUri)
    const tokens = await app.exchange(back.url)

    expect(tokens.access_token).toBeTypeOf('string')
    expect(tokens.refresh_token).toBeUndefined()
  })

  test('gets a refresh token if the request forces consent', async () => {
    await linked(first)

    const tokens = await linked(first, { access_type: 'offline', prompt: 'consent' })

    expect(tokens.refresh_token).toBeTypeOf('string')
  })

  test('gets no refresh token without a request for offline access', async () => {
    const tokens = await linked(first, { prompt: 'consent' })

    expect(tokens.refresh_token).toBeUndefined()
  })
})

describe('the token endpoint', () => {
  test('accepts the client secret in the form and in the header', async () => {
    const { refresh_token } = await linked(first, { access_type: 'offline', prompt: 'consent' })

    const inForm = await refresh(refresh_token, { client_id: client.id, client_secret: client.secret })
    const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
    const inHeader = await refresh(refresh_token, {}, { Authorization: `Basic ${basic}` })
    const without = await refresh(refresh_token, { client_id: client.id, client_secret: 'wrong' })

    expect([inForm.status, inHeader.status, without.status]).toEqual([200, 200, 401])
  })

  test('rejects a code without its PKCE verifier', async () => {
    const app = await appOf()
    const browser = new HttpBrowser()
    const consent = await signedIn(browser, app.address({ prompt: 'consent' }), first)
    const back = await browser.follow(await browser.post(actionOf(consent.text, 'allow')), redirectUri)

    const stolen = await fetch(`${filebox.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: new URL(back.url).searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        client_id: client.id,
        client_secret: client.secret,
      }),
    })

    expect(stolen.status).toBe(400)
  })
})

describe('the files', () => {
  test('belong to the account that consented, and can be searched, read and added', async () => {
    const tokens = await linked(second, { prompt: 'consent' })
    const api = bearer(tokens.access_token)

    const all = await api('/api/files')
    const found = await api('/api/files?q=recipe')
    const read = await api(`/api/files/${found.body.files[0].id}`)
    const added = await api('/api/files', { name: 'New.txt', content: 'hello' })
    const after = await api('/api/files?q=new')

    expect(all.body.files.map(({ name }: { name: string }) => name)).toEqual(['Reading list.txt', 'Recipes.md'])
    expect(read.body.content).toContain('Soup')
    expect(added.status).toBe(201)
    expect(after.body.files).toHaveLength(1)
  })

  test('of another account return 404', async () => {
    const tokens = await linked(second, { prompt: 'consent' })

    const foreign = await bearer(tokens.access_token)('/api/files/file_account-1_1')

    expect(foreign.status).toBe(404)
  })

  test.each([
    ['no token', undefined, 401],
    ['an unknown token', 'nonsense', 401],
  ])('reject %s', async (_case, token, status) => {
    const answer = await bearer(token)('/api/files')

    expect(answer.status).toBe(status)
    expect(answer.challenge).toContain('Bearer')
  })

  test('cannot be added without that permission', async () => {
    const tokens = await linked(first, { prompt: 'consent', scope: 'openid files.read' })

    const answer = await bearer(tokens.access_token)('/api/files', { name: 'x', content: 'y' })

    expect(answer.status).toBe(403)
    expect(answer.challenge).toContain('insufficient_scope')
  })
})

describe('removing access', () => {
  test('on the account page ends the tokens and the consent', async () => {
    const browser = new HttpBrowser()
    const tokens = await linked(first, { access_type: 'offline', prompt: 'consent' }, browser)
    const account = await browser.follow(await browser.get(`${filebox.url}/account`))

    const after = await browser.follow(await browser.post(actionOf(account.text, 'revoke')))

    expect(account.text).toContain('Causeway')
    expect(after.text).toContain('No app has access')
    expect((await refresh(tokens.refresh_token)).status).toBe(400)
    expect((await bearer(tokens.access_token)('/api/files')).status).toBe(401)
  })

  test('at the revocation endpoint ends the refresh token', async () => {
    const app = await appOf()
    const tokens = await linked(first, { access_type: 'offline', prompt: 'consent' })

    await oauth.tokenRevocation(app.config, tokens.refresh_token ?? '')

    expect((await refresh(tokens.refresh_token)).status).toBe(400)
  })

  test('and signing out removes the session', async () => {
    const browser = new HttpBrowser()
    await linked(first, {}, browser)

    const after = await browser.follow(await browser.post(`${filebox.url}/sign-out`))

    expect(after.text).toContain('Sign in to Filebox')
  })
})

describe('signing out of Filebox', () => {
  test('keeps offline access', async () => {
    const browser = new HttpBrowser()
    const tokens = await linked(first, { access_type: 'offline', prompt: 'consent' }, browser)

    await browser.follow(await browser.post(`${filebox.url}/sign-out`))

    expect((await refresh(tokens.refresh_token)).status).toBe(200)
    expect((await bearer(tokens.access_token)('/api/files')).status).toBe(200)
  })

  test('to switch accounts keeps offline access of the first account', async () => {
    const browser = new HttpBrowser()
    const tokens = await linked(first, { access_type: 'offline', prompt: 'consent' }, browser)
    const app = await appOf()
    const consent = await signedIn(browser, app.address({ access_type: 'offline', prompt: 'consent' }), first)

    await browser.follow(await browser.post(actionOf(consent.text, 'switch')))

    expect((await refresh(tokens.refresh_token)).status).toBe(200)
  })

  test('ends online access', async () => {
    const browser = new HttpBrowser()
    const tokens = await linked(first, { prompt: 'consent' }, browser)

    await browser.follow(await browser.post(`${filebox.url}/sign-out`))

    expect((await bearer(tokens.access_token)('/api/files')).status).toBe(401)
  })
})

test('a restart keeps sessions, consents, tokens and the signing key', async () => {
  const browser = new HttpBrowser()
  const tokens = await linked(first, { access_type: 'offline', prompt: 'consent' }, browser)
  const keysBefore = await (await fetch(`${filebox.url}/jwks`)).json()

  await filebox.close()
  filebox = await start()
  const account = await browser.get(`${filebox.url}/account`)

  expect(account.text).toContain('first@filebox.example')
  expect((await refresh(tokens.refresh_token)).status).toBe(200)
  expect(await (await fetch(`${filebox.url}/jwks`)).json()).toEqual(keysBefore)
})

test('with rotation on, a refresh token works once', async () => {
  await filebox.close()
  filebox = await start({ rotateRefreshTokens: true })
  const tokens = await linked(first, { access_type: 'offline', prompt: 'consent' })

  const used = await refresh(tokens.refresh_token)
  const again = await refresh(tokens.refresh_token)

  expect(used.body.refresh_token).not.toBe(tokens.refresh_token)
  expect(again.status).toBe(400)
})

async function appOf() {
  const method = oauth.ClientSecretPost(client.secret)
  const options = { execute: [oauth.allowInsecureRequests] }
  const config = await oauth.discovery(new URL(filebox.url), client.id, undefined, method, options)
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier()
  const code_challenge = await oauth.calculatePKCECodeChallenge(pkceCodeVerifier)
  const state = oauth.randomState()
  const scope = 'openid email files.read files.write'
  const base = { redirect_uri: redirectUri, scope, state, code_challenge, code_challenge_method: 'S256' }
  return {
    config,
    state,
    address: (more: Record<string, string> = {}) => oauth.buildAuthorizationUrl(config, { ...base, ...more }),
    exchange: (url: string) =>
      oauth.authorizationCodeGrant(config, new URL(url), { pkceCodeVerifier, expectedState: state }),
  }
}

/** Follows redirects to the consent page, or to the page shown instead. */
async function signedIn(browser: HttpBrowser, address: URL, who: typeof first) {
  const page = await browser.follow(await browser.get(address.href), redirectUri)
  if (!page.text.includes('/sign-in"')) return page
  return browser.follow(await browser.post(actionOf(page.text, 'sign-in'), who), redirectUri)
}

async function linked(who: typeof first, more: Record<string, string> = {}, browser = new HttpBrowser()) {
  const app = await appOf()
  const page = await signedIn(browser, app.address(more), who)
  const asked = page.text.includes('/allow"')
  const back = asked ? await browser.follow(await browser.post(actionOf(page.text, 'allow')), redirectUri) : page
  return app.exchange(back.url)
}

function actionOf(text: string, ending: string): string {
  const found = new RegExp(`action="([^"]*/${ending})"`).exec(text)
  if (!found?.[1]) throw new Error(`no form that ends in ${ending}`)
  return new URL(found[1], filebox.url).href
}

async function refresh(
  token: string | undefined,
  fields: Record<string, string> = { client_id: client.id, client_secret: client.secret },
  headers: Record<string, string> = {},
) {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token ?? '', ...fields })
  const answer = await fetch(`${filebox.url}/token`, { method: 'POST', body, headers })
  return { status: answer.status, body: (await answer.json()) as Answer }
}

const bearer = (token: string | undefined) => async (path: string, file?: object) => {
  const authorization: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {}
  const post = {
    method: 'POST',
    body: JSON.stringify(file),
    headers: { 'Content-Type': 'application/json', ...authorization },
  }
  const answer = await fetch(`${filebox.url}${path}`, file ? post : { headers: authorization })
  return {
    status: answer.status,
    body: (await answer.json()) as Answer,
    challenge: answer.headers.get('www-authenticate'),
  }
}

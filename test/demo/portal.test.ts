import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Portal, startPortal } from '../../src/demo/portal/portal.ts'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { createRedisDatabase } from '../support/processes/stores.ts'
import { apiKey, platformKey, startCauseway } from './causeway-double.ts'

let causeway: Awaited<ReturnType<typeof startCauseway>>
let portal: Portal

const redisUrl = await createRedisDatabase()

beforeEach(async () => {
  causeway = await startCauseway()
  const port = await freePort()
  portal = await startPortal({
    host: '127.0.0.1',
    port,
    publicUrl: `http://localhost:${port}`,
    redisUrl,
    sessionSecret: 'a-secret-only-for-this-test',
    causeway: { url: causeway.url, apiKey, tenant: 'acme' },
    platform: { apiKey: platformKey },
    icons: { filebox: '/assets/demo/filebox.svg' },
  })
  return async () => {
    await portal.close()
    await causeway.close()
  }
})

test('every app has its picture, or its letter in the color of Acme', async () => {
  const { text } = await (await signedIn()).get(`${portal.url}/integrations`)

  const tiles = [...text.matchAll(/class="app-icon"[^>]*>(?:<img src="([^"]+)"|<svg [^>]+><rect [^>]*fill="([^"]+)")/g)]
  expect(tiles.map(([, src, fill]) => src ?? fill)).toEqual(['/assets/demo/filebox.svg', '#a33d15'])
})

const functionNext = [
  { step: 'consent', status: 'done' },
  { step: 'exchange', status: 'done' },
  { step: 'connection', status: 'done' },
  { step: 'function', status: 'current' },
  { step: 'verification', status: 'waiting' },
]

describe('sign-in', () => {
  test('is required', async () => {
    const browser = new HttpBrowser()

    const page = await browser.follow(await browser.get(`${portal.url}/integrations`))

    expect(page.text).toContain('Sign in as user@acme.example')
  })

  test('gives the browser a new session ID each time', async () => {
    const browser = new HttpBrowser()

    const first = await browser.post(`${portal.url}/sign-in`)
    const second = await browser.post(`${portal.url}/sign-in`)

    const [one, other] = [first, second].map(({ headers }) => headers.get('set-cookie'))
    expect(one).toMatch(/^acme_session=.*HttpOnly; SameSite=Lax/)
    expect(other).not.toBe(one)
  })

  test('is rejected from a form on another site', async () => {
    const headers = { 'Sec-Fetch-Site': 'same-site' }
    const answer = await fetch(`${portal.url}/sign-in`, { method: 'POST', redirect: 'manual', headers })

    expect(answer.status).toBe(403)
  })
})

test('the integrations page shows linked accounts and integrations without an OAuth client', async () => {
  const browser = await signedIn()

  const page = await browser.get(`${portal.url}/integrations`)

  expect(page.text).toContain('first@filebox.example')
  expect(page.text).toContain('action="/integrations/filebox/connect"')
  expect(page.text).toContain('No OAuth client configured')
  expect(page.text).not.toContain('action="/integrations/gmail/connect"')
})

describe('connecting', () => {
  test('creates a session for this user and redirects the browser there with a page', async () => {
    const browser = await signedIn()

    const page = await browser.post(`${portal.url}/integrations/filebox/connect`)

    expect(page.status).toBe(200)
    expect(page.headers.get('refresh')).toBe('0; url=http://causeway.example/connect/cs_1')
    expect(page.text).toContain('href="http://causeway.example/connect/cs_1"')
    expect(causeway.minted[0]).toMatchObject({
      tenantId: 'acme',
      integrationId: 'filebox',
      endUser: { id: 'user-1', email: 'user@acme.example' },
      returnUrl: `${portal.url}/integrations/return`,
    })
  })

  test('completes with the correct verifier and ends on the page of the linked account', async () => {
    const browser = await signedIn()
    await browser.post(`${portal.url}/integrations/filebox/connect`)

    const page = await browser.follow(await browser.get(backWith({ status: 'authorized', completion_code: 'once' })))

    const [completion] = causeway.completions
    const challenge = createHash('sha256').update(`${completion?.completionVerifier}`).digest('base64url')
    expect(completion).toMatchObject({ id: 'cs_1', completionCode: 'once' })
    expect(challenge).toBe(causeway.minted[0]?.completionChallenge)
    expect(page.url).toBe(`${portal.url}/connections/con_1?linked`)
    expect(page.text).toContain('Your account is connected')
    expect(page.text).toContain(`${causeway.url}/acme/functions/filebox-1/mcp`)
    expect(page.text).toContain('list_files')
  })

  test('is not completed by another session', async () => {
    const initiator = await signedIn()
    await initiator.post(`${portal.url}/integrations/filebox/connect`)
    const victim = await signedIn()

    const page = await victim.follow(await victim.get(backWith({ status: 'authorized', completion_code: 'once' })))

    expect(causeway.completions).toEqual([])
    expect(page.text).toContain('this wasn’t started here')
  })

  test('can be resumed in the same browser after a cancel', async () => {
    const browser = await signedIn()
    await browser.post(`${portal.url}/integrations/filebox/connect`)
    causeway.setLink('lnk_1', { status: 'cancelled' })

    await browser.follow(await browser.get(backWith({ status: 'cancelled' })))
    const page = await browser.follow(await browser.get(backWith({ status: 'authorized', completion_code: 'once' })))

    expect(causeway.completions).toHaveLength(1)
    expect(page.text).toContain('Your account is connected')
  })

  test('in two concurrent tabs can be completed in both', async () => {
    const browser = await signedIn()
    causeway.answerMintsTogether(2)
    await Promise.all([1, 2].map(() => browser.post(`${portal.url}/integrations/filebox/connect`)))

    for (const { id } of causeway.minted)
      await browser.get(backWith({ connect_session_id: id, status: 'authorized', completion_code: 'once' }))

    expect(causeway.completions.map(({ id }) => id)).toEqual(['cs_1', 'cs_2'])
  })

  test('redirects the browser to continueUrl, and the same session completes it', async () => {
    const browser = await signedIn()
    await browser.post(`${portal.url}/integrations/filebox/connect`)
    causeway.askAgainOnce('http://causeway.example/links/lnk_1/consent')

    const first = await browser.get(backWith({ status: 'authorized', completion_code: 'first' }))
    const second = await browser.follow(
      await browser.get(backWith({ status: 'authorized', completion_code: 'second' })),
    )

    expect(first.headers.get('location')).toBe('http://causeway.example/links/lnk_1/consent')
    expect(causeway.completions.map(({ completionCode }) => completionCode)).toEqual(['first', 'second'])
    expect(second.text).toContain('Your account is connected')
  })

  test('explains a denial to the user and states whose move it is', async () => {
    const browser = await signedIn()
    await browser.post(`${portal.url}/integrations/filebox/connect`)
    const advice = 'They declined.'
    const cause = { code: 'consent_denied', whoseMove: 'user', title: 'Access was declined', advice }
    const causeForUser = { title: 'You said no', advice: 'Allow access when Filebox asks.' }
    causeway.setLink('lnk_1', { status: 'denied', cause, causeForUser })

    const page = await browser.follow(await browser.get(backWith({ status: 'denied', cause_code: 'consent_denied' })))

    expect(page.text).toContain('Filebox wasn’t connected')
    expect(page.text).toContain('What you can do')
    expect(page.text).toContain(causeForUser.advice)
    expect(page.text).not.toContain(advice)
    expect(page.text).toContain('Try again')
    expect(page.text).toContain('class="outcome" data-kind="neutral"')
  })

  test('does not ask the user to retry if support has to act', async () => {
    const browser = await signedIn()
    await browser.post(`${portal.url}/integrations/filebox/connect`)
    const cause = { code: 'platform_refused', whoseMove: 'support', title: 'Refused', advice: 'Support looks at it.' }
    causeway.setLink('lnk_1', { status: 'needs_attention', cause })

    const page = await browser.follow(await browser.get(backWith({ status: 'pending' })))

    expect(page.text).toContain('We’re on it')
    expect(page.text).not.toContain('Try again')
  })

  test('shows its steps while pending, refreshes without JavaScript, and redirects once linked', async () => {
    const browser = await signedIn()
    await browser.post(`${portal.url}/integrations/filebox/connect`)
    causeway.setLink('lnk_1', { status: 'pending', progress: functionNext })

    const waiting = await browser.follow(await browser.get(backWith({ status: 'pending' })))
    causeway.setLink('lnk_1', { status: 'linked', connection: { id: 'con_1' } })
    const done = await browser.follow(await browser.get(waiting.url))

    expect(waiting.text).toContain('data-live="/links/lnk_1"')
    expect(waiting.text).toContain('<noscript><meta http-equiv="refresh" content="2"></noscript>')
    expect(waiting.text).toMatch(/data-state="done"><span>Connection created/)
    expect(waiting.text).toMatch(/data-state="current" aria-current="step"><span>Create the function/)
    expect(done.text).toContain('Your account is connected')
  })
})

describe('a linked account', () => {
  test('lets its user call a tool and shows the found files', async () => {
    const browser = await signedIn()

    const page = await browser.post(`${portal.url}/connections/con_1/tools/list_files`, { query: 'Budget' })

    expect(page.text).toContain('Budget.txt')
    expect(page.text).toContain('file_1')
  })

  test('explains to its user why it broke, and offers a reconnect instead of its tools', async () => {
    const browser = await signedIn()
    const cause = { code: 'grant_revoked', whoseMove: 'user', title: 'Theirs', advice: 'For support.' }
    causeway.breakConnection(cause, { title: 'Access was revoked', advice: 'Reconnect to restore access.' })

    const page = await browser.get(`${portal.url}/connections/con_1`)
    const onward = await browser.post(`${portal.url}/connections/con_1/relink`)
    const back = await browser.follow(await browser.get(backWith({ status: 'authorized', completion_code: 'once' })))

    expect(page.text).toContain('Reconnect to restore access.')
    expect(page.text).toContain('Needs reconnecting')
    expect(page.text).not.toContain('Connected<')
    expect(page.text).not.toContain('For support.')
    expect(page.text).not.toContain('/tools/')
    expect(page.text).toContain('action="/connections/con_1/relink"')
    expect(onward.headers.get('refresh')).toBe('0; url=http://causeway.example/connect/cs_1')
    expect(causeway.minted[0]).toMatchObject({ connectionId: 'con_1', returnUrl: `${portal.url}/integrations/return` })
    expect(back.url).toBe(`${portal.url}/connections/con_1?linked`)
  })

  test('does not ask its user to reconnect if the operator has to act', async () => {
    const browser = await signedIn()
    causeway.breakConnection({ code: 'client_rejected', whoseMove: 'operator', title: 'Theirs', advice: 'Client ID.' })

    const page = await browser.get(`${portal.url}/connections/con_1`)

    expect(page.text).toContain('We’re on it')
    expect(page.text).not.toContain('Client ID.')
    expect(page.text).not.toContain('/relink"')
  })

  test('disappears from the list after a disconnect', async () => {
    const browser = await signedIn()
    const page = await browser.get(`${portal.url}/connections/con_1`)

    const after = await browser.follow(await browser.post(`${portal.url}/connections/con_1/disconnect`))

    expect(page.text).toContain('action="/connections/con_1/disconnect"')
    expect(after.text).toContain('Acme can no longer access first@filebox.example')
    expect(after.text).not.toContain('href="/connections/con_1"')
  })

  test('returns 404 for an unknown account', async () => {
    const browser = await signedIn()
    causeway.withoutConnections()

    const page = await browser.get(`${portal.url}/connections/con_1`)

    expect(page.status).toBe(404)
  })
})

test('the list shows that a broken account needs reconnecting, and offers it', async () => {
  const browser = await signedIn()
  causeway.breakConnection({ code: 'grant_revoked', whoseMove: 'user', title: 'Theirs', advice: 'For support.' })

  const page = await browser.get(`${portal.url}/integrations`)

  expect(page.text).toContain('Needs reconnecting')
  expect(page.text).not.toContain('data-status="linked"')
  expect(page.text).toContain('action="/connections/con_1/relink"')
})

test('the list shows what distinguishes two rows of one account', async () => {
  const browser = await signedIn()
  causeway.connectTwin()

  const page = await browser.get(`${portal.url}/integrations`)

  expect(page.text).toContain('connected 2026-11-18 09:00 UTC, filebox-1')
  expect(page.text).toContain('connected 2026-11-18 09:00 UTC, filebox-2')
})

test('returns 404 for a link of another session', async () => {
  const browser = await signedIn()

  const page = await browser.get(`${portal.url}/links/lnk_1`)

  expect(page.status).toBe(404)
})

test('the page reports that Causeway does not respond', async () => {
  const browser = await signedIn()
  await causeway.close()

  const page = await browser.get(`${portal.url}/integrations`)

  expect(page.status).toBe(502)
  expect(page.text).toContain('Causeway isn’t responding')
})

async function signedIn() {
  const browser = new HttpBrowser()
  await browser.post(`${portal.url}/sign-in`)
  return browser
}

const backWith = (more: Record<string, string>) =>
  `${portal.url}/integrations/return?${new URLSearchParams({ connect_session_id: 'cs_1', link_id: 'lnk_1', ...more })}`

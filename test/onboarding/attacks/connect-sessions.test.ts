// Cases 22, 23, 25 and 31 of the attack catalogue: a connect session serves one browser, once, in time.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import {
  type AttackWorld,
  linkOf,
  passTime,
  startAttackWorld,
  withoutRequestId,
} from '../../support/worlds/attack-world.ts'
import type { MintedSession } from '../../support/worlds/onboarding-world.ts'

let world: AttackWorld

beforeAll(async () => {
  world = await startAttackWorld()
})
afterAll(() => world.close())

describe('case 22, token reuse', () => {
  test('after the callback, no browser can open or start the session again', async () => {
    const minted = await world.mint()
    const { browser } = await world.consent(minted)
    const before = await world.mark()

    const tries = [
      await browser.get(minted.url),
      await browser.post(minted.url),
      await new HttpBrowser().get(minted.url),
      await new HttpBrowser().post(minted.url),
    ]

    expect(tries.map(({ status }) => status)).toEqual([410, 410, 410, 410])
    await world.check(before, {
      audit: { action: 'connect.rejected', facts: { refusal: 'token_used' }, times: 2, of: minted },
    })
  })

  test('after success it cannot be opened, started or completed, and there is still one link', async () => {
    const minted = await world.mint()
    const { browser, query } = await world.consent(minted)
    await world.complete(minted, query)
    const before = await world.mark()

    const opened = [await browser.get(minted.url), await new HttpBrowser().get(minted.url)]
    const started = [await browser.post(minted.url), await new HttpBrowser().post(minted.url)]
    const completed = await world.complete(minted, query)

    expect([...opened, ...started].map(({ status }) => status)).toEqual([410, 410, 410, 410])
    expect(completed.status).toBe(409)
    expect(await linkOf(world, minted)).toMatchObject({ status: 'linked' })
    await world.check(before, {
      audit: [
        { action: 'connect.rejected', facts: { refusal: 'token_used' }, times: 2, of: minted },
        { action: 'completion.rejected', facts: { refusal: 'completion_used' }, of: minted },
      ],
    })
  })

  test('two browsers that start concurrently share one flow', async () => {
    const minted = await world.mint()
    const before = await world.mark()

    const started = await Promise.all(Array.from({ length: 10 }, () => new HttpBrowser().post(minted.url)))

    const statuses = started.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(9).fill(410)])
    await world.check(before, {
      audit: { action: 'connect.rejected', facts: { refusal: 'token_used' }, times: 9, of: minted },
    })
  })

  test('a withdrawn session cannot be started', async () => {
    const minted = await world.mint()
    await world.api('POST', `/connect-sessions/${minted.id}/cancel`)
    const before = await world.mark()

    const { status } = await new HttpBrowser().post(minted.url)

    expect(status).toBe(410)
    await world.check(before, {
      audit: { action: 'connect.rejected', facts: { refusal: 'token_withdrawn' }, of: minted },
    })
  })
})

describe('case 23, expiry and boundary', () => {
  test.each([
    ['20 seconds', 200],
    ['0 seconds', 410],
    ['-1 seconds', 410],
  ])('a session that expires in %s returns %i', async (left, status) => {
    const minted = await world.mint()
    await expireIn(minted, left)
    const before = await world.mark()

    const [page, started] = [await new HttpBrowser().get(minted.url), await new HttpBrowser().post(minted.url)]

    expect([page.status, started.status]).toEqual([status, status])
    const refused = { action: 'connect.rejected', facts: { refusal: 'token_expired' }, of: minted }
    await world.check(before, { audit: status === 410 ? refused : undefined })
  })

  test("the store's clock decides, not the program's", async () => {
    const anHourAhead = () => new Date(Date.now() + 3_600_000)
    const hasty = await startAttackWorld({ replace: () => ({ now: anHourAhead }) })
    const before = await hasty.mark()

    await hasty.linkHonestly()

    await hasty.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
    await hasty.close()
  })

  test.each([-1, 0, 59, 1_801, 1e9, '60', 1.5, null, [60]])('a lifetime of %j is rejected', async (ttlSeconds) => {
    const before = await world.mark()

    const answer = await mintRaw({ ttlSeconds })

    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/ttlSeconds' }] } })
    await world.check(before, { audit: undefined })
  })

  test.each([60, 1_800])('a lifetime of %i seconds is accepted', async (ttlSeconds) => {
    const before = await world.mark()

    const { body } = await mintRaw({ ttlSeconds })

    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(ttlSeconds * 1_000)
    world.watch({ name: 'connect token', value: body.url.split('/').at(-1) })
    await world.check(before, { audit: undefined })
  })
})

describe('case 25, guessing and oracles', () => {
  test('unknown and malformed sessions get the same page; ended ones state the reason and link back to the tenant', async () => {
    const [expired, open, withdrawn] = [await world.mint(), await world.mint(), await world.mint()]
    const connected = await world.mint()
    await expireIn(expired, '-1 minute')
    await world.consent(open)
    const { query } = await world.consent(connected)
    await world.completeToTheEnd(connected, query)
    await world.api('POST', `/connect-sessions/${withdrawn.id}/cancel`)
    const before = await world.mark()

    const known = [expired.url, open.url, withdrawn.url, connected.url]
    const urls = [unknownUrl(), `${world.url}/connect/short`, ...known]
    const pages = await Promise.all(urls.map((url) => new HttpBrowser().get(url)))

    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([410]))
    const [unknown, ended] = [pages.slice(0, 2), pages.slice(2)]
    expect(new Set(unknown.map(({ text }) => withoutRequestId(text))).size).toBe(1)
    expect(ended.map(({ text }) => /<h1>([^<]*)/.exec(text)?.[1])).toEqual([
      'This link has expired',
      'This link is open in another window',
      'This link was cancelled',
      'Provider is already connected',
    ])
    expect(new Set(pages.map(({ headers }) => comparable(headers))).size).toBe(1)
    expect(unknown[0]?.text).not.toContain('Acme')
    expect(new Set(ended.map(({ text }) => returnOf(text).get('status')))).toEqual(new Set(['expired']))
    expect(new Set(ended.map(({ text }) => returnOf(text).has('completion_code')))).toEqual(new Set([false]))
    await world.check(before, { audit: undefined })
  })

  test('a session token has 256 bits and is stored as a digest', async () => {
    const before = await world.mark()
    const minted = await Promise.all(Array.from({ length: 20 }, () => world.mint()))
    const tokens = minted.map(({ url }) => url.split('/').at(-1) as string)

    const { rows } = await world.sql.query('select token_digest from connect_sessions where id = any($1)', [
      minted.map(({ id }) => id),
    ])

    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(new Set(rows.map(({ token_digest }) => token_digest))).toEqual(
      new Set(tokens.map((token) => world.world.tokens.digest(token))),
    )
    await world.check(before, { audit: undefined })
  })

  test('guessing is rate limited and finds nothing', async () => {
    const limited = await startAttackWorld({ env: { RATE_BROWSER_PER_MINUTE: '30' } })
    const before = await limited.mark()
    const guess = async () => (await fetch(unknownUrl(limited.url), fromElsewhere)).status
    const guesses = 300 // far more than a few windows let through
    const since = Date.now()

    const statuses: number[] = []
    while (statuses.length < guesses) statuses.push(...(await Promise.all(Array.from({ length: 100 }, guess))))

    // Each window that was begun on the way has its helping.
    const windows = 2 + Math.floor((Date.now() - since) / 60_000)
    const answered = statuses.filter((status) => status === 410).length
    expect(answered).toBeLessThanOrEqual(30 * windows)
    expect(statuses.filter((status) => status === 429)).toHaveLength(guesses - answered)
    await limited.check(before, { audit: undefined })
    await limited.close()
  })

  /** Who guesses is slowed down; who comes from another address, as the honest do, is not. */
  const fromElsewhere = { headers: { 'X-Forwarded-For': '203.0.113.9' } }
})

describe('case 31, completion abuse', () => {
  const other = 'z'.repeat(43)

  test.each([
    ['a wrong verifier', { completionVerifier: other }],
    ['a wrong code', { completionCode: other }],
  ])('%s is rejected, and the correct one still works', async (_name, wrong) => {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    const before = await world.mark()

    const refused = await completeRaw(minted, { ...proof(minted, query), ...wrong })

    expect(refused).toMatchObject({ status: 400, body: { code: 'completion_refused' } })
    await world.check(before, {
      audit: { action: 'completion.rejected', facts: { refusal: 'completion_refused' }, of: minted },
    })
    expect((await world.complete(minted, query)).body).toMatchObject({ status: 'linked' })
  })

  test.each([
    ['no verifier', { completionVerifier: undefined }],
    ['an empty verifier', { completionVerifier: '' }],
    ['a short verifier', { completionVerifier: 'short' }],
    ['an array as the verifier', { completionVerifier: [other] }],
    ['no code', { completionCode: undefined }],
  ])('%s is rejected as invalid input', async (_name, wrong) => {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    const before = await world.mark()

    const { status } = await completeRaw(minted, { ...proof(minted, query), ...wrong })

    expect(status).toBe(422)
    await world.check(before, { audit: undefined })
  })

  test('the code of another session is rejected', async () => {
    const [minted, another] = [await world.mint(), await world.mint()]
    await world.consent(minted)
    const { query } = await world.consent(another)
    const before = await world.mark()

    const { status } = await completeRaw(minted, proof(minted, query))

    expect(status).toBe(400)
    await world.check(before, {
      audit: { action: 'completion.rejected', facts: { refusal: 'completion_refused' }, of: minted },
    })
  })

  test('a link cannot be completed before the callback', async () => {
    const [unopened, underWay] = [await world.mint(), await world.mint()]
    await world.untilCallback(underWay)
    const before = await world.mark()

    const answers = [
      await completeRaw(unopened, { completionCode: 'any', completionVerifier: other }),
      await completeRaw(underWay, { completionCode: 'any', completionVerifier: other }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([409, 409])
    await world.check(before, {
      audit: { action: 'completion.rejected', facts: { refusal: 'completion_early' }, of: [unopened, underWay] },
    })
  })

  test('after the deadline the code is deleted without a token request', async () => {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    await passTime(world, minted)
    const before = await world.mark()

    const { status } = await world.complete(minted, query)

    const { rows } = await world.sql.query('select waiting_code from links where session_id = $1', [minted.id])
    expect(status).toBe(410)
    expect(rows).toEqual([{ waiting_code: null }])
    await world.check(before, {
      audit: { action: 'completion.rejected', facts: { refusal: 'completion_late' }, of: minted },
    })
  })

  test('twenty concurrent completions redeem the code once', async () => {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    const before = await world.mark()

    const answers = await Promise.all(Array.from({ length: 20 }, () => world.complete(minted, query)))

    expect(answers.filter(({ body }) => body.status === 'linked').length).toBeGreaterThanOrEqual(1)
    for (const { status } of answers) expect([200, 409, 429]).toContain(status)
    const used = answers.filter(({ status }) => status === 409).length
    await world.check(before, {
      tokenRequests: 1,
      posts: 2,
      audit: used
        ? { action: 'completion.rejected', facts: { refusal: 'completion_used' }, times: used, of: minted }
        : undefined,
    })
  })

  test('five wrong verifiers void the link, even for the correct one', async () => {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    const wrong = { ...proof(minted, query), completionVerifier: other }
    for (let tries = 0; tries < 4; tries++) await completeRaw(minted, wrong)
    const before = await world.mark()

    const fifth = await completeRaw(minted, wrong)
    const right = await world.complete(minted, query)

    expect([fifth.status, right.status]).toEqual([400, 410])
    expect(await linkOf(world, minted)).toMatchObject({ status: 'failed', cause: { code: 'completion_refused' } })
    await world.check(before, {
      audit: [
        { action: 'completion.rejected', facts: { refusal: 'completion_refused' }, of: minted },
        { action: 'link.failed', facts: { cause: 'completion_refused' }, of: minted },
        { action: 'completion.rejected', facts: { refusal: 'completion_late' }, of: minted },
      ],
    })
  })
})

const expireIn = (minted: MintedSession, left: string) =>
  world.sql.query('update connect_sessions set expires_at = now() + $2::interval where id = $1', [minted.id, left])

const mintRaw = (more: object) =>
  world.api('POST', '/connect-sessions', {
    tenantId: 'acme',
    integrationId: 'provider',
    endUser: { id: 'user-1' },
    returnUrl: 'https://acme.example/integrations/return',
    completionChallenge: 'c'.repeat(43),
    ...more,
  })

const unknownUrl = (base = world.url) => `${base}/connect/${world.world.tokens.fresh()}`

const completeRaw = (minted: MintedSession, body: object) =>
  world.api('POST', `/connect-sessions/${minted.id}/complete`, body)

const proof = (minted: MintedSession, query: Record<string, string>) => ({
  completionCode: query.completion_code,
  completionVerifier: minted.verifier,
})

/** Without what differs between any two answers. */
const comparable = (headers: Headers) =>
  JSON.stringify([...headers].filter(([name]) => !['x-request-id', 'date', 'etag', 'content-length'].includes(name)))

/** Parameters of the way back on the page. */
const returnOf = (text: string) =>
  new URLSearchParams(
    /href="https:\/\/acme\.example\/integrations\/return\?([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&'),
  )

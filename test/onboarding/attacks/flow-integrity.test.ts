// Cases 1 to 15 of the attack catalogue: tampering with the redirects to and from the provider gains nothing.
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { listen } from '../../../src/kit/http/http-server.ts'
import { assemble, openWorld } from '../../../src/onboarding/compose.ts'
import { readConfig } from '../../../src/onboarding/config.ts'
import { sealContext } from '../../../src/onboarding/domain/seal-context.ts'
import { misbehaviours } from '../../support/doubles/provider/misbehaviours.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import {
  type AttackWorld,
  linkOf,
  passTime,
  queryOf,
  startAttackWorld,
  twoBrowsers,
  withoutRequestId,
  withQuery,
} from '../../support/worlds/attack-world.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'

let world: AttackWorld

beforeAll(async () => {
  world = await startAttackWorld()
})
afterAll(() => world.close())

test('case 1, state replay: the same callback shows the same result without a second token request', async () => {
  const minted = await world.mint()
  const { url, browser } = await world.untilCallback(minted)
  const first = await browser.get(url)
  await world.complete(minted, Object.fromEntries(new URL(first.headers.get('location') ?? '').searchParams))
  const before = await world.mark()

  const again = await browser.get(url)

  expect(again.status).toBe(303)
  expect(new URL(again.headers.get('location') ?? '').searchParams.get('status')).toBe('linked')
  expect(await linkOf(world, minted)).toMatchObject({ status: 'linked' })
  await world.check(before, { audit: { action: 'callback.replayed', of: minted } })
})

test('case 2, concurrent duplicate callback: twenty deliveries to two processes make one token request and one link', async () => {
  const config = readConfig(world.env)
  const sibling = openWorld(config)
  const server = await listen(assemble(config, sibling).app, { host: '127.0.0.1', port: 0 })
  const minted = await world.mint()
  const { url, browser } = await world.untilCallback(minted)
  const there = url.replace(world.url, `http://127.0.0.1:${server.port}`)
  const before = await world.mark()

  const visits = await Promise.all(Array.from({ length: 20 }, (_, nth) => browser.get(nth % 2 ? url : there)))
  const returned = visits.map(({ headers }) => headers.get('location') ?? '')
  const accepted = returned.find((address) => address.startsWith(returnUrl)) ?? ''
  const completed = await world.complete(minted, Object.fromEntries(new URL(accepted).searchParams))

  expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([303]))
  for (const address of returned) expect(address).toMatch(/^(\/links\/lnk_|https:\/\/acme\.example\/)/)
  expect(completed.body).toMatchObject({ status: 'linked' })
  const waiting = (await world.audit('link.code_waiting')).filter(({ link }) => link === completed.body.id)
  expect(waiting).toHaveLength(1)
  await server.close(0)
  await sibling.close()
  await world.check(before, {
    tokenRequests: 1,
    posts: 2,
    audit: { action: 'callback.replayed', times: 19, of: minted },
  })
})

test('case 3, state swap between two browsers: both callbacks are rejected, and both flows can still finish', async () => {
  const [ours, theirs] = twoBrowsers()
  const [mintedA, mintedB] = [await world.mint(), await world.mint()]
  const [a, b] = [await world.untilCallback(mintedA, ours), await world.untilCallback(mintedB, theirs)]
  const before = await world.mark()

  const swapped = [await theirs.get(a.url), await ours.get(b.url)]

  expect(swapped.map(({ status }) => status)).toEqual([403, 403])
  expect(swapped.map(({ headers }) => headers.get('location'))).toEqual([null, null])
  await world.check(before, {
    audit: { action: 'callback.rejected', facts: { refusal: 'browser_mismatch' }, of: [mintedA, mintedB] },
  })
  for (const [browser, { url }, minted] of [[ours, a, mintedA] as const, [theirs, b, mintedB] as const]) {
    const back = await browser.get(url)
    const query = Object.fromEntries(new URL(back.headers.get('location') ?? '').searchParams)
    expect((await world.complete(minted, query)).body).toMatchObject({ status: 'linked' })
  }
})

test('case 4, callback without a session: a browser without the cookie is rejected and changes nothing', async () => {
  const minted = await world.mint()
  const { url, browser } = await world.untilCallback(minted)
  const before = await world.mark()

  const stranger = await new HttpBrowser().get(url)

  expect(stranger.status).toBe(403)
  await world.check(before, {
    audit: { action: 'callback.rejected', facts: { refusal: 'no_browser_binding' }, of: minted },
  })
  expect((await browser.get(url)).headers.get('location')).toContain('status=authorized')
})

describe('case 5, expired state', () => {
  test('a late callback asks the user to try again and does not redirect to the tenant', async () => {
    const minted = await world.mint()
    const { url, browser } = await world.untilCallback(minted)
    await letStatesExpire()
    const before = await world.mark()

    const late = await browser.get(url)

    expect([late.status, late.headers.get('location')]).toEqual([410, null])
    expect(late.text).toContain('try again')
    await world.check(before, {
      audit: { action: 'callback.rejected', facts: { refusal: 'state_expired' }, of: minted },
    })
  })

  test('a late callback and an unknown one get the same response', async () => {
    const minted = await world.mint()
    const { url, browser } = await world.untilCallback(minted)
    await letStatesExpire()
    const before = await world.mark()

    const late = await browser.get(url)
    const unknown = await browser.get(withQuery(url, { state: 'A'.repeat(43) }))

    expect(unknown.status).toBe(late.status)
    expect(withoutRequestId(unknown.text)).toBe(withoutRequestId(late.text))
    await world.check(before, {
      audit: [
        { action: 'callback.rejected', facts: { refusal: 'state_expired' }, of: minted },
        { action: 'callback.rejected', facts: { refusal: 'state_unknown' } },
      ],
    })
  })
})

describe('case 6, malformed state', () => {
  const malformed = {
    absent: '',
    empty: 'state=',
    'one character': 'state=A',
    'ten thousand characters': `state=${'A'.repeat(10_000)}`,
    repeated: `state=${'A'.repeat(43)}&state=${'A'.repeat(43)}`,
    'an array': `state[]=${'A'.repeat(43)}`,
    'an object': `state[a]=${'A'.repeat(43)}`,
    'the name __proto__': 'state=__proto__&__proto__=x',
    'a pattern': 'state=*',
    'a key': 'state=onboarding:authorization:{x}',
    'a null byte': `state=${'A'.repeat(42)}%00`,
    'a lone percent sign': `state=${'A'.repeat(42)}%`,
    'broken UTF-8': `state=${'A'.repeat(42)}%ff`,
    'an emoji': `state=${encodeURIComponent('🔑'.repeat(10))}`,
    'a new line at the end': `state=${'A'.repeat(43)}%0a`,
  }

  test.each(Object.entries(malformed))('%s is rejected before any lookup', async (_name, query) => {
    const before = await world.mark()

    const { status } = await new HttpBrowser().get(`${world.url}/oauth/callback/provider?code=any&${query}`)

    expect(status).toBe(400)
    await world.check(before, { audit: { action: 'callback.rejected', facts: { refusal: 'state_malformed' } } })
  })
})

describe('cases 7 and 8, a code of one flow in another', () => {
  test('case 7, attacker’s code into the victim’s flow: the provider rejects it by PKCE', async () => {
    const victim = await world.mint()
    const { url, browser } = await world.untilCallback(victim)
    const { query: attacker } = await world.untilCallback(await world.mint())
    const before = await world.mark()

    const back = await browser.get(withQuery(url, { code: attacker.code ?? '' }))
    const completed = await world.complete(victim, queryOf(back.headers.get('location')))

    expect(completed.body).toMatchObject({ status: 'failed', cause: { code: 'code_refused' } })
    await world.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.failed', facts: { cause: 'code_refused' }, of: victim },
    })
  })

  test('case 7, attacker’s code into the victim’s flow: without PKCE, the nonce check rejects it', async () => {
    world.provider.misbehave(misbehaviours.ignoresPkce)
    const victim = await world.mint()
    const { url, browser } = await world.untilCallback(victim)
    const { query: attacker } = await world.untilCallback(await world.mint())
    const before = await world.mark()

    const back = await browser.get(withQuery(url, { code: attacker.code ?? '' }))
    const completed = await world.complete(victim, queryOf(back.headers.get('location')))

    expect(completed.body).toMatchObject({ status: 'failed', cause: { code: 'identity_invalid' } })
    expect(world.provider.issued.at(-1)?.revoked).toBe(true)
    await world.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.failed', facts: { cause: 'identity_invalid' }, of: victim },
    })
  })

  test('case 8, stolen code into the attacker’s flow: it is sent with the attacker’s verifier and rejected', async () => {
    const { query: victim } = await world.untilCallback(await world.mint())
    const attacker = await world.mint()
    const { url, browser } = await world.untilCallback(attacker)
    const challenge = world.provider.seen.authorizations.at(-1)?.code_challenge
    const before = await world.mark()

    const back = await browser.get(withQuery(url, { code: victim.code ?? '' }))
    const completed = await world.complete(attacker, queryOf(back.headers.get('location')))

    const sent = world.provider.seen.tokenRequests.at(-1)
    expect(world.world.tokens.challenge(sent?.code_verifier ?? '')).toBe(challenge)
    expect(completed.body).toMatchObject({ status: 'failed', cause: { code: 'code_refused' } })
    await world.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.failed', facts: { cause: 'code_refused' }, of: attacker },
    })
  })
})

describe('case 9, PKCE downgrade', () => {
  const damaged: Record<string, (pending: Record<string, string>) => object> = {
    'the verifier deleted from the record': ({ verifier: _, ...rest }) => rest,
    'the verifier emptied in the record': (pending) => ({ ...pending, verifier: '' }),
    'an empty verifier, soundly sealed': (pending) => ({
      ...pending,
      verifier: world.world.seal.seal(new Secret(''), sealContext.verifier(pending.link ?? '')),
    }),
  }

  test.each(Object.entries(damaged))('%s: no token is requested without a verifier', async (_name, damage) => {
    const minted = await world.mint()
    const { url, browser } = await world.untilCallback(minted)
    await changePending(url, damage)
    const before = await world.mark()

    const back = await browser.get(url)

    expect(back.status).toBe(500)
    expect(await linkOf(world, minted)).toMatchObject({ status: 'failed', cause: { code: 'callback_rejected' } })
    await world.check(before, {
      audit: { action: 'link.failed', facts: { cause: 'callback_rejected', detail: 'pkce_missing' }, of: minted },
    })
  })

  test('a provider that only supports plain challenges is rejected at the start, and one that lists no methods gets S256', async () => {
    const silent = await startAttackWorld()
    silent.provider.misbehave(misbehaviours.onlyPlainChallenges)
    const minted = await silent.mint()
    const before = await silent.mark()

    const refused = await new HttpBrowser().post(minted.url)
    silent.provider.misbehave(misbehaviours.hidesChallengeMethods)
    await silent.consent(minted)

    expect(refused.status).toBe(502)
    expect(refused.text).toMatch(/<a class="button" href="" [^>]*>Try again<\/a>/)
    expect(silent.provider.seen.authorizations).toEqual([expect.objectContaining({ code_challenge_method: 'S256' })])
    await silent.check(before, {
      audit: { action: 'connect.rejected', facts: { refusal: 'provider_unavailable' }, of: { tenant: 'acme' } },
    })
    await silent.close()
  })
})

test("case 10, cross-user fixation through the connect URL: no token is requested without the tenant's verifier", async () => {
  const mallory = await world.mint()
  const before = await world.mark()

  const { query: bobs } = await world.consent(mallory, new HttpBrowser())
  const bobsTenantSession = { ...mallory, verifier: 'b'.repeat(43) }
  const completed = await world.complete(bobsTenantSession, bobs)
  await world.check(before, {
    audit: { action: 'completion.rejected', facts: { refusal: 'completion_refused' }, of: mallory },
  })
  const later = await world.mark()
  const waiting = await linkOf(world, mallory)
  await passTime(world, mallory)

  expect(completed.status).toBe(400)
  expect(waiting).toMatchObject({ status: 'pending', waitingFor: 'completion', step: 'exchange' })
  const ended = await linkOf(world, mallory)
  expect(ended).toMatchObject({ status: 'abandoned', step: 'exchange', cause: { code: 'completion_missing' } })
  expect(ended).not.toHaveProperty('waitingFor')
  await world.check(later, { audit: { action: 'link.abandoned', facts: { cause: 'completion_missing' }, of: mallory } })
})

test('case 11, cross-user fixation through a saved authorize URL: the callback has no cookie', async () => {
  const minted = await world.mint()
  const started = await new HttpBrowser().post(minted.url)
  const saved = /url=(.+)$/.exec(started.headers.get('refresh') ?? '')?.[1] ?? ''
  const before = await world.mark()

  const bob = new HttpBrowser()
  const visited = await bob.follow(await bob.get(saved))

  expect(visited.status).toBe(403)
  await world.check(before, {
    audit: { action: 'callback.rejected', facts: { refusal: 'no_browser_binding' }, of: minted },
  })
})

describe('case 13 (S7), a callback that is not a navigation', () => {
  const askedOtherwise: Record<string, { method?: string; headers?: Record<string, string>; status: number }> = {
    HEAD: { method: 'HEAD', status: 405 },
    POST: { method: 'POST', status: 405 },
    OPTIONS: { method: 'OPTIONS', status: 405 },
    'an image': { headers: { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, status: 400 },
    'a frame': { headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, status: 400 },
    'a script’s fetch': { headers: { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }, status: 400 },
    'a prefetch': { headers: { 'sec-purpose': 'prefetch' }, status: 400 },
    'a prerender': { headers: { 'sec-purpose': 'prefetch;prerender' }, status: 400 },
    'a prefetch of old': { headers: { purpose: 'prefetch' }, status: 400 },
  }

  test.each(Object.entries(askedOtherwise))('%s claims nothing, and the flow stays open', async (_name, request) => {
    const { url, browser } = await world.untilCallback(await world.mint())
    const before = await world.mark()

    const answer = await browser.send(url, request)

    expect(answer.status).toBe(request.status)
    if (request.status === 405) expect(answer.headers.get('allow')).toBe('GET')
    expect((await browser.get(url)).headers.get('location')).toContain('status=authorized')
    const refused = { action: 'callback.rejected', facts: { refusal: 'not_navigation' } } as const
    await world.check(before, { audit: request.status === 400 ? refused : undefined })
  })
})

describe('case 15, parameter pollution', () => {
  const polluted = {
    'a second code': '&code=other',
    'a second state': undefined,
    'a second iss': '&iss=other',
    'a response': '&response=x',
    'an identity token': '&id_token=x',
    'an access token': '&access_token=x',
    'five hundred parameters': Array.from({ length: 500 }, (_, nth) => `&a${nth}=1`).join(''),
    'an array beside it': '&code[]=x&extra=1&extra=2',
  }

  test.each(Object.entries(polluted))('%s is rejected, and the flow stays open', async (_name, more) => {
    const { url, browser, query } = await world.untilCallback(await world.mint())
    const before = await world.mark()

    const { status } = await browser.get(url + (more ?? `&state=${query.state}`))

    expect(status).toBe(400)
    expect((await browser.get(url)).headers.get('location')).toContain('status=authorized')
    const refusal = more === undefined ? 'state_malformed' : 'param_pollution'
    await world.check(before, { audit: { action: 'callback.rejected', facts: { refusal } } })
  })

  test('an error next to a code counts as the error', async () => {
    const minted = await world.mint()
    const { url, browser } = await world.untilCallback(minted)
    const before = await world.mark()

    const back = await browser.get(withQuery(url, { error: 'access_denied' }))

    expect(queryOf(back.headers.get('location'))).toMatchObject({ status: 'denied', cause_code: 'consent_denied' })
    await world.check(before, { audit: { action: 'link.denied', facts: { cause: 'consent_denied' }, of: minted } })
  })

  test('a response in the fragment is ignored', async () => {
    const { url, browser } = await world.untilCallback(await world.mint())
    const before = await world.mark()

    const { status } = await browser.get(url.replace('?', '#'))

    expect(status).toBe(400)
    await world.check(before, { audit: { action: 'callback.rejected', facts: { refusal: 'state_malformed' } } })
  })
})

/** Expires every flow that is at the provider. */
async function letStatesExpire() {
  const redis = new Redis(world.redis.url)
  for (const key of await redis.keys('onboarding:authorization:*')) await redis.expire(key, 600)
  redis.disconnect()
}

/** Changes what is remembered of the flow that this callback belongs to. */
async function changePending(url: string, change: (pending: Record<string, string>) => object) {
  const redis = new Redis(world.redis.url)
  const state = new URL(url).searchParams.get('state') ?? ''
  const key = `onboarding:authorization:{${world.world.tokens.digest(state)}}`
  await redis.hset(key, 'pending', JSON.stringify(change(JSON.parse((await redis.hget(key, 'pending')) ?? ''))))
  redis.disconnect()
}

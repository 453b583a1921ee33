// Cases 24, 29 and 30 of the attack catalogue: browsers leave by registered addresses only, and take nothing along
// that is not theirs to take.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedText } from '../../../src/onboarding/domain/linking/return-url.ts'
import { lookAlikes, registered, unsoundAddresses } from '../../support/http/redirect-vectors.ts'
import { type AttackWorld, linkOf, startAttackWorld } from '../../support/worlds/attack-world.ts'

let world: AttackWorld
let signingSecret: string

beforeAll(async () => {
  world = await startAttackWorld()
  const good = { workspace: 'good', displayName: 'Good', returnUrls: [registered] }
  signingSecret = (await world.api('PUT', '/tenants/good', good)).body.signingSecret
})
afterAll(() => world.close())

describe('case 29, open redirect through the return URL', () => {
  test('a return URL must match a registered one exactly', async () => {
    const before = await world.mark()
    const vectors = [...unsoundAddresses, ...lookAlikes]

    for (const { raw, reason } of vectors) {
      const { status, body } = await mint(raw)

      expect([status, body.errors?.[0]?.pointer], reason).toEqual([422, '/returnUrl'])
    }
    await world.check(before, {
      audit: {
        action: 'return_url.rejected',
        facts: { refusal: 'not_registered' },
        times: vectors.length,
        of: { tenant: 'good' },
      },
    })
  })

  test('an unsafe URL cannot be registered', async () => {
    const before = await world.mark()

    for (const { raw, reason } of unsoundAddresses) {
      const tenant = { workspace: 'evil', displayName: 'Evil', returnUrls: [raw] }
      const { status, body } = await world.api('PUT', '/tenants/evil', tenant)

      expect([status, body.errors?.[0]?.pointer], reason).toEqual([422, '/returnUrls/0'])
    }
    await world.check(before, { audit: undefined })
  })

  test('a return URL that was removed from the list is not used', async () => {
    const leaving = 'https://acme.example/leaving'
    const listed = { workspace: 'acme', displayName: 'Acme', returnUrls: [acmesReturn, leaving] }
    await world.api('PUT', '/tenants/acme', listed)
    const minted = await world.mint({ returnUrl: leaving })
    const { url, browser } = await world.untilCallback(minted)
    await world.api('PUT', '/tenants/acme', { ...listed, returnUrls: [acmesReturn] })
    const before = await world.mark()

    const back = await browser.get(url)

    expect(back.status).toBe(410)
    expect(back.headers.get('location')).toBeNull()
    await world.check(before, {
      audit: { action: 'return_url.rejected', facts: { refusal: 'no_longer_registered' }, of: minted },
    })
  })

  test('no page redirects to a URL from its query', async () => {
    const before = await world.mark()

    for (const { raw } of [...unsoundAddresses, ...lookAlikes]) {
      const evil = encodeURIComponent(raw)
      const path = `/oauth/callback/provider?code=a&return_url=${evil}&returnUrl=${evil}&redirect_uri=${evil}`
      const { headers } = await fetch(`${world.url}${path}`, { redirect: 'manual' })

      expect(headers.get('location')).toBeNull()
    }
    const times = unsoundAddresses.length + lookAlikes.length
    await world.check(before, { audit: { action: 'callback.rejected', facts: { refusal: 'state_malformed' }, times } })
  })

  const acmesReturn = 'https://acme.example/integrations/return'
})

describe('case 30, forged return parameters', () => {
  test('results are signed with the tenant’s secret, and a change breaks the signature', async () => {
    const minted = await world.mint({ tenantId: 'good', returnUrl: registered })
    const { browser, url } = await world.untilCallback(minted)
    const before = await world.mark()

    const back = await browser.get(url)
    const query = Object.fromEntries(new URL(back.headers.get('location') ?? '').searchParams)

    expect(isSigned(query)).toBe(true)
    for (const name of Object.keys(query)) expect(isSigned({ ...query, [name]: 'forged' }), name).toBe(false)
    expect(isSigned({ ...query, status: 'linked' })).toBe(false)
    expect(isSigned({ ...query, cause_code: 'consent_denied' })).toBe(false)
    await world.check(before, { audit: undefined })
  })

  test('the redirect is only a hint: the link has the result', async () => {
    const minted = await world.mint()
    await world.untilCallback(minted)
    const before = await world.mark()

    const forged = { completion_code: 'forged', status: 'linked' }
    const completed = await world.complete(minted, forged)

    expect(completed.status).toBe(409)
    expect(await linkOf(world, minted)).toMatchObject({ status: 'pending', step: 'consent' })
    await world.check(before, {
      audit: { action: 'completion.rejected', facts: { refusal: 'completion_early' }, of: minted },
    })
  })

  function isSigned({ sig, ts, ...outcome }: Record<string, string>): boolean {
    const text = signedText(outcome as Parameters<typeof signedText>[0], ts as unknown as number)
    return createHmac('sha256', signingSecret).update(text).digest('base64url') === sig
  }
})

const mint = (returnUrl: string) =>
  world.api('POST', '/connect-sessions', {
    tenantId: 'good',
    integrationId: 'provider',
    endUser: { id: 'user-1' },
    returnUrl,
    completionChallenge: 'c'.repeat(43),
  })

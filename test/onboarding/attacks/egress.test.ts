// Case 52 of the attack catalogue: metadata cannot direct requests to private addresses. Address checks are tested in
// test/kit/guarded-fetch*.test.ts.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProvider } from '../../support/doubles/provider/provider.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type AttackWorld, linkOf, startAttackWorld } from '../../support/worlds/attack-world.ts'

/** An internal server that must not be reachable through us. */
const visits: string[] = []
const inner = createServer((req, res) => {
  visits.push(req.url ?? '')
  res.end('{}')
})

beforeAll(() => new Promise<void>((resolve) => void inner.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise<void>((resolve) => void inner.close(() => resolve())))

const innerUrl = () => `http://127.0.0.1:${(inner.address() as AddressInfo).port}/inner`

/** Metadata is cached, so each case starts its own program, and honest users link another app in it. */
async function withWorld(use: (world: AttackWorld) => Promise<void>, options = {}) {
  const honest = await startProvider()
  const world = await startAttackWorld({ ...options, others: { honest }, honest: 'honest' })
  try {
    await use(world)
  } finally {
    await Promise.all([world.close(), honest.close()])
  }
  expect(visits).toEqual([])
}

/** We never called it, so it is not the provider who has to act. */
const blockedHere = { code: 'address_blocked', whoseMove: 'operator' }

describe('case 52, SSRF', () => {
  test.each([
    ['an internal server', () => innerUrl()],
    ['a private address as a single number', () => 'http://2130706433:6379/'],
    ['a private address mapped to IPv6', () => 'http://[::ffff:127.0.0.1]/'],
    ['a cloud metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a name of the local machine', () => 'http://localhost./'],
  ])('a token endpoint at %s is not called', (_name, endpoint) =>
    withWorld(async (world) => {
      world.provider.misbehave({ metadata: { token_endpoint: endpoint() } })
      const minted = await world.mint()
      const { query } = await world.consent(minted)
      const before = await world.mark()

      await world.complete(minted, query)

      expect(await linkOf(world, minted)).toMatchObject({ status: 'failed', cause: blockedHere })
      expectNothingSaid(world, before)
      await world.check(before, {
        audit: { action: 'link.failed', facts: { cause: 'address_blocked', detail: 'blocked' }, of: minted },
      })
    }),
  )

  test('keys at a private address are not fetched, and the grant waits for the operator', () =>
    withWorld(async (world) => {
      world.provider.misbehave({ metadata: { jwks_uri: innerUrl() } })
      const minted = await world.mint()
      const { query } = await world.consent(minted)
      const before = await world.mark()

      await world.complete(minted, query)

      expect(await linkOf(world, minted)).toMatchObject({ status: 'needs_attention', cause: blockedHere })
      expect(world.provider.issued.map(({ revoked }) => revoked)).toEqual([false])
      expectNothingSaid(world, before)
      await world.check(before, {
        tokenRequests: 1,
        audit: { action: 'link.needs_attention', facts: { cause: 'address_blocked', detail: 'blocked' }, of: minted },
      })
    }))

  test('userinfo at a private address is not called, and the grant waits for the operator', () =>
    withWorld(
      async (world) => {
        world.provider.misbehave({ metadata: { userinfo_endpoint: innerUrl() } })
        const minted = await world.mint()
        const { query } = await world.consent(minted)
        const before = await world.mark()

        await world.complete(minted, query)

        expect(await linkOf(world, minted)).toMatchObject({ status: 'needs_attention', cause: blockedHere })
        expect(world.provider.issued.map(({ revoked }) => revoked)).toEqual([false])
        expectNothingSaid(world, before)
        await world.check(before, {
          tokenRequests: 1,
          audit: { action: 'link.needs_attention', facts: { cause: 'address_blocked', detail: 'blocked' }, of: minted },
        })
      },
      { integration: { account: { from: 'userinfo' } } },
    ))

  test('revocation at a private address is not called, and the grant stays sealed', () =>
    withWorld(async (world) => {
      world.provider.misbehave({
        metadata: { revocation_endpoint: innerUrl() },
        token: ({ body }) => ({ body: { ...body, scope: 'openid' } }),
      })
      const minted = await world.mint()
      const { query } = await world.consent(minted)
      const before = await world.mark()

      await world.complete(minted, query)

      const link = await linkOf(world, minted)
      expect(link).toMatchObject({ status: 'failed', cause: { code: 'scope_missing' } })
      const { rows } = await world.sql.query('select link_id from escrow')
      expect(rows).toEqual([{ link_id: link.id }])
      expectNothingSaid(world, before)
      await world.check(before, {
        tokenRequests: 1,
        audit: { action: 'link.revoking', facts: { cause: 'scope_missing' }, of: minted },
      })
    }))

  test.each([
    ['an issuer that reports another name', () => ({ issuer: 'https://elsewhere.example' })],
    ['an issuer with an extra slash', (url: string) => ({ issuer: `${url}/` })],
    ['a file URL as token endpoint', () => ({ token_endpoint: 'file:///etc/passwd' })],
    ['a script URL as authorization page', () => ({ authorization_endpoint: 'javascript:alert(1)' })],
    ['a data URL as authorization page', () => ({ authorization_endpoint: 'data:text/html,hello' })],
    ['an invalid authorization page', () => ({ authorization_endpoint: undefined })],
  ])('%s is rejected before users are redirected there', (_name, metadata) =>
    withWorld(async (world) => {
      world.provider.misbehave({ metadata: metadata(world.provider.url) })
      const minted = await world.mint()
      const before = await world.mark()

      const refused = await new HttpBrowser().post(minted.url)

      expect([refused.status, refused.headers.get('refresh')]).toEqual([502, null])
      expect(world.provider.seen.authorizations).toEqual([])
      await world.check(before, {
        audit: {
          action: 'connect.rejected',
          facts: { refusal: 'provider_unavailable', detail: 'metadata' },
          of: minted,
        },
      })
    }),
  )

  test('the metadata of an issuer at a private address is not fetched', () =>
    withWorld(
      async (world) => {
        const minted = await world.mint()
        const before = await world.mark()

        const refused = await new HttpBrowser().post(minted.url)

        expect([refused.status, refused.headers.get('refresh')]).toEqual([409, null])
        expectNothingSaid(world, before)
        await world.check(before, {
          audit: {
            action: 'connect.rejected',
            facts: { refusal: 'address_blocked', detail: 'blocked' },
            of: minted,
          },
        })
      },
      { integration: { issuer: innerUrl() } },
    ))

  /** Asserts that no response contains the address or the content of the internal server. */
  function expectNothingSaid(world: AttackWorld, before: Awaited<ReturnType<AttackWorld['mark']>>) {
    const said = [...world.answersSince(before).map(({ body }) => body), ...world.logLines]
    for (const text of said) expect(text).not.toMatch(/inner|169\.254|2130706433/)
  }
})

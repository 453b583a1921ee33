// Cases 43 to 45 and 48 of the attack catalogue: a provider that grants too little, fails, or answers oddly.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explain } from '../../../src/onboarding/domain/cause.ts'
import { misbehaviours } from '../../support/doubles/provider/misbehaviours.ts'
import type { Behaviour } from '../../support/doubles/provider/provider.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import {
  type AttackWorld,
  type Expectation,
  linkOf,
  queryOf,
  startAttackWorld,
  withQuery,
} from '../../support/worlds/attack-world.ts'

let world: AttackWorld

beforeAll(async () => {
  world = await startAttackWorld()
})
afterAll(() => world.close())

type Row = [name: keyof typeof misbehaviours, cause: string]

describe('case 43, no refresh token', () => {
  test.each<keyof typeof misbehaviours>(['noRefreshToken', 'emptyRefreshToken', 'nullRefreshToken'])(
    '%s: consent is forced once more, and then the link fails',
    async (name) => {
      world.provider.misbehave(misbehaviours[name])
      const minted = await world.mint()
      const { query, browser } = await world.consent(minted)
      const before = await world.mark()

      const first = await world.complete(minted, query)
      const again = await browser.follow(await browser.get(first.body.continueUrl), 'https://acme.example')
      const second = await world.complete(minted, queryOf(again.url))

      expect(first.body).toMatchObject({ status: 'pending', continueUrl: expect.stringContaining('/consent') })
      expect(world.provider.seen.authorizations.at(-1)).toMatchObject({ prompt: 'consent' })
      expect(second.body).toMatchObject({ status: 'failed', cause: { code: 'no_refresh_token' } })
      expect(await escrowOf(second.body.id)).toEqual([])
      expect(world.provider.seen.revocations.at(-1)).toMatch(/^CANARY-AT-/)
      await world.check(before, {
        tokenRequests: 2,
        audit: [
          { action: 'link.authorizing', facts: { cause: 'no_refresh_token' }, of: minted },
          { action: 'link.failed', facts: { cause: 'no_refresh_token' }, of: minted },
        ],
      })
    },
  )

  test('the second consent is requested once, in the same browser', async () => {
    world.provider.misbehave(misbehaviours.noRefreshToken)
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    const before = await world.mark()
    const { body } = await world.complete(minted, query)

    const stranger = await new HttpBrowser().get(body.continueUrl)

    expect(stranger.status).toBe(410)
    expect(stranger.headers.get('location')).toBeNull()
    await world.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.authorizing', facts: { cause: 'no_refresh_token' }, of: minted },
    })
  })
})

describe('case 44, scopes', () => {
  test('missing scopes stop the link before provisioning and are named', async () => {
    const { body, before, minted } = await linkWith(misbehaviours.narrowerScope)

    expect(body).toMatchObject({ status: 'failed', cause: { code: 'scope_missing' }, missingScopes: ['files.read'] })
    expect(world.provider.issued.at(-1)?.revoked).toBe(true)
    await world.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.failed', facts: { cause: 'scope_missing' }, of: minted },
    })
  })

  test.each<[keyof typeof misbehaviours, string[]]>([
    ['widerScope', ['openid', 'email', 'files.read', 'files.delete']],
    ['noScope', ['openid', 'email', 'files.read']],
    ['reorderedScope', ['files.read', 'email', 'openid']],
    ['commaSeparatedScope', ['openid', 'email', 'files.read']],
  ])('%s links, and the granted scopes are stored', async (name, scopes) => {
    const { body, before } = await linkWith(misbehaviours[name])

    const connection = await world.api('GET', `/connections/${body.connection.id}`)
    expect(connection.body).toMatchObject({ status: 'active', scopes })
    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
  })

  test('audits scopes that were granted but not requested', async () => {
    const { body, before } = await linkWith(misbehaviours.widerScope)

    const { rows } = await world.sql.query('select facts from audit where link = $1', [body.id])
    expect(rows).toContainEqual({ facts: expect.objectContaining({ unrequestedScopes: ['files.delete'] }) })
    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
  })
})

describe('case 44, scopes that cannot be stored', () => {
  test.each<keyof typeof misbehaviours>(['scopeWithZeroByte', 'scopeWithHalfACharacter'])(
    '%s ends the link before anything is provisioned, and the grant is revoked',
    async (name) => {
      const { body, before, minted } = await linkWith(misbehaviours[name])

      expect(body).toMatchObject({ status: 'failed', cause: { code: 'answer_malformed' } })
      expect(world.provider.issued.at(-1)?.revoked).toBe(true)
      await world.check(before, {
        tokenRequests: 1,
        audit: { action: 'link.failed', facts: { cause: 'answer_malformed' }, of: minted },
      })
    },
  )
})

describe('case 45, error responses', () => {
  test.each([
    ['access_denied', 'denied', 'consent_denied'],
    ['invalid_request', 'failed', 'request_rejected'],
    ['server_error', 'failed', 'consent_failed'],
    ['temporarily_unavailable', 'failed', 'consent_failed'],
    ['interaction_required', 'failed', 'consent_failed'],
    ['redirect_uri_mismatch', 'failed', 'redirect_uri_rejected'],
    ['unauthorized_client', 'failed', 'client_rejected'],
    ['<script>alert(1)</script>', 'failed', 'consent_failed'],
  ])('the authorization page returns %s: the tenant gets one of our causes', async (error, status, cause) => {
    const words = { error_description: 'CANARY-CODE-<b>', error_uri: 'https://evil.example' }
    world.provider.misbehave({ callback: { code: undefined, error, ...words } })
    const minted = await world.mint()
    const { url, browser } = await world.untilCallback(minted)
    const before = await world.mark()

    const back = await browser.get(url)

    expect(queryOf(back.headers.get('location'))).toMatchObject({ status, cause_code: cause })
    expect(back.headers.get('location')).not.toContain('evil')
    await world.check(before, { audit: { action: `link.${status}`, facts: { cause }, of: minted } })
  })

  test('an error without a state renders a page without a redirect', async () => {
    const { url, browser } = await world.untilCallback(await world.mint())
    const before = await world.mark()

    const back = await browser.get(withQuery(url, { state: undefined, code: undefined, error: 'access_denied' }))

    expect([back.status, back.headers.get('location')]).toEqual([400, null])
    await world.check(before, { audit: { action: 'callback.rejected', facts: { refusal: 'state_malformed' } } })
  })

  test.each<Row>([
    ['invalidGrant', 'code_refused'],
    ['invalidRequest', 'request_rejected'],
    ['invalidRequestWithStatus200', 'request_rejected'],
    ['invalidClient', 'client_rejected'],
    ['redirectUriMismatch', 'redirect_uri_rejected'],
    ['htmlError', 'answer_malformed'],
    ['tooManyRequests', 'provider_unavailable'],
    ['serverError', 'provider_unavailable'],
    ['outOfService', 'provider_unavailable'],
    ['notOkWithStatus200', 'answer_malformed'],
    ['redirects', 'answer_malformed'],
  ])('the token endpoint answers with %s: %s, and the code is not sent again', async (name, cause) => {
    const { body, before, minted, query } = await linkWith(misbehaviours[name])

    const again = await world.complete(minted, query)

    expect(body).toMatchObject({ status: 'failed', cause: { code: cause } })
    expect(again.status).toBe(410)
    await world.check(before, {
      tokenRequests: 1,
      audit: [
        { action: 'link.failed', facts: { cause }, of: minted },
        { action: 'completion.rejected', facts: { refusal: 'completion_late' }, of: minted },
      ],
    })
  })

  test('T15: tokens in an error response are revoked', async () => {
    const { body, before, minted } = await linkWith(misbehaviours.tokensWithStatus400)

    expect(body).toMatchObject({ status: 'failed', cause: { code: 'code_refused' } })
    expect(world.provider.issued.at(-1)?.revoked).toBe(true)
    expect(await escrowOf(body.id)).toEqual([])
    await world.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.failed', facts: { cause: 'code_refused' }, of: minted },
    })
  })

  test('without completion, the browser shows our own error text', async () => {
    const open = await startAttackWorld({ env: { CONNECT_COMPLETION: 'optional' } })
    open.provider.misbehave(misbehaviours.invalidClient)
    const minted = await open.mint({ completionChallenge: undefined })
    const before = await open.mark()

    const { query } = await open.consent(minted)

    expect(query).toMatchObject({ status: 'failed', cause_code: 'client_rejected' })
    const { rows } = await open.sql.query('select event, payload from outbox')
    expect(rows).toEqual([
      { event: 'link.failed', payload: expect.objectContaining({ cause: explain('client_rejected') }) },
    ])
    await open.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.failed', facts: { cause: 'client_rejected' }, of: minted },
    })
    await open.close()
  })
})

describe('case 48, non-JSON and odd JSON', () => {
  test.each<[keyof typeof misbehaviours, string, boolean]>([
    ['unknownTokenType', 'answer_malformed', true],
    ['refreshTokenWithNewline', 'answer_malformed', false],
    ['refreshTokenWithSpaces', 'answer_malformed', false],
    ['refreshTokenOfEightKilobytes', 'answer_malformed', false],
  ])('%s: %s, and its grant is revoked', async (name, cause, revoked) => {
    const { body, before, minted } = await linkWith(misbehaviours[name])

    expect(body).toMatchObject({ status: 'failed', cause: { code: cause } })
    expect(world.provider.issued.at(-1)?.revoked).toBe(revoked)
    expect(world.provider.seen.revocations.at(-1)).toMatch(/^CANARY-RT-/)
    expect(await escrowOf(body.id)).toEqual([])
    await world.check(before, { tokenRequests: 1, audit: { action: 'link.failed', facts: { cause }, of: minted } })
  })

  test.each<keyof typeof misbehaviours>(['notANumber', 'htmlWithStatus200', 'numericRefreshToken'])(
    '%s: an unreadable response that may contain a token is kept sealed for review',
    async (name) => {
      const { body, before, minted } = await linkWith(misbehaviours[name])

      expect(body).toMatchObject({ status: 'needs_attention', cause: { code: 'answer_unreadable' } })
      expect(await escrowOf(body.id)).toHaveLength(1)
      await world.check(before, {
        tokenRequests: 1,
        audit: { action: 'link.needs_attention', facts: { cause: 'answer_unreadable' }, of: minted },
      })
    },
  )

  test.each<keyof typeof misbehaviours>([
    'jsonAsPlainText',
    'formEncoded',
    'array',
    'expiryInWords',
    'deeplyNested',
    'duplicateMembers',
    'prototypeMember',
    'byteOrderMark',
    'wrongCharset',
  ])('%s is parsed as JSON and links with the correct token', async (name) => {
    const { body, before } = await linkWith(misbehaviours[name])

    expect(body).toMatchObject({ status: 'linked' })
    expect(world.platform.connections.get(`acme/${body.connection.name}`)?.spec.secret).toMatchObject({
      REFRESH_TOKEN: world.provider.issued.at(-1)?.token,
    })
    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined } satisfies Expectation)
  })
})

/** A whole link with a provider that misbehaves when it is asked for a token. */
async function linkWith(switches: Partial<Behaviour>) {
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  world.provider.misbehave(switches)
  const before = await world.mark()
  await world.complete(minted, query)
  return { before, minted, query, body: await linkOf(world, minted) }
}

const escrowOf = async (link: string) =>
  (await world.sql.query('select link_id from escrow where link_id = $1', [link])).rows

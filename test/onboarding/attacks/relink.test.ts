import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type AttackWorld, startAttackWorld } from '../../support/worlds/attack-world.ts'

let world: AttackWorld

beforeAll(async () => {
  world = await startAttackWorld()
})
afterAll(() => world.close())

const linked = async () => {
  const minted = await world.mint()
  const { body } = await world.complete(minted, (await world.consent(minted)).query)
  return body.connection as { id: string; name: string }
}

const mintRelink = async (id: string, more: Record<string, unknown> = {}) => {
  const { body } = await world.api('POST', `/connections/${id}/relink-sessions`, { reason: 'broken', ...more })
  world.watch({ name: 'connect token', value: body.url.split('/').at(-1) })
  return body as { id: string; url: string }
}

const verifier = 'v'.repeat(43)
const completed = {
  returnUrl: 'https://acme.example/integrations/return',
  completionChallenge: createHash('sha256').update(verifier).digest('base64url'),
}

const secretsOf = (name: string) => world.platform.connections.get(`acme/${name}`)?.spec.secret

const linkOf = async (session: { id: string }) => {
  const { body } = await world.api('GET', `/connect-sessions/${session.id}`)
  return (await world.api('GET', `/links/${body.linkId}`)).body
}

describe('case 21, wrong account at re-link', () => {
  test('another account changes nothing, is reported, and the user can retry with the correct one', async () => {
    const { id, name } = await linked()
    const before = secretsOf(name)
    const session = await mintRelink(id)
    const since = await world.mark()
    const browser = new HttpBrowser()
    world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })

    const page = await browser.follow(await browser.post(session.url))

    expect(page.text).toContain('second@provider.example')
    expect(page.text).toContain('belongs to <strong>first@provider.example</strong>')
    expect(secretsOf(name)).toEqual(before)
    expect(await linkOf(session)).toMatchObject({ status: 'pending', cause: { code: 'account_mismatch' } })
    expect(world.provider.issued.at(-1)).toMatchObject({ subject: 'account-2', revoked: true })

    world.provider.misbehave({ subject: 'account-1', email: 'first@provider.example' })
    const retry = /href="(\/links\/[^"]+\/consent)"/.exec(page.text)?.[1] ?? ''
    const asked = await browser.get(world.url + retry)
    const again = await browser.follow(asked)

    expect(new URL(asked.headers.get('location') ?? '').searchParams.get('login_hint')).toBe('first@provider.example')
    expect(new URL(asked.headers.get('location') ?? '').searchParams.get('prompt')).toBe('login consent')
    expect(again.text).toContain('is reconnected')
    expect(secretsOf(name)).not.toEqual(before)
    await world.check(since, {
      tokenRequests: 3, // two exchanges, and one trial of the grant that is the right one's
      audit: { action: 'relink.account_mismatch', of: session },
    })
  })

  test('cancelling changes nothing, and the link states why it ended', async () => {
    const { id, name } = await linked()
    const before = secretsOf(name)
    const session = await mintRelink(id)
    const since = await world.mark()
    world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })
    const browser = new HttpBrowser()
    await browser.follow(await browser.post(session.url))
    await world.sql.query('update links set due_at = now() where session_id = $1', [session.id])
    await sweepLinks(world.ports, world.settings)

    expect(await linkOf(session)).toMatchObject({ status: 'abandoned', cause: { code: 'account_mismatch' } })
    expect(secretsOf(name)).toEqual(before)
    await world.check(since, {
      tokenRequests: 1,
      audit: [
        { action: 'relink.account_mismatch', of: session },
        { action: 'link.abandoned', facts: { cause: 'account_mismatch' }, of: session },
      ],
    })
  })

  test('the other account keeps its own connection, which uses the same grant', async () => {
    const whole = await startAttackWorld({ integration: { revocation: { reach: 'grant' } } })
    whole.provider.behaviour.revokesWholeGrant = true
    const mine = await whole.mint()
    const { body } = await whole.complete(mine, (await whole.consent(mine)).query)
    whole.provider.misbehave({ subject: 'account-2' })
    const theirs = await whole.mint()
    await whole.complete(theirs, (await whole.consent(theirs)).query)

    const { body: session } = await whole.api('POST', `/connections/${body.connection.id}/relink-sessions`, {
      reason: 'broken',
    })
    const before = await whole.mark()
    const browser = new HttpBrowser()
    await browser.follow(await browser.post(session.url))

    expect(whole.provider.seen.revocations).toEqual([])
    whole.watch({ name: 'connect token', value: session.url.split('/').at(-1) })
    await whole.check(before, {
      tokenRequests: 1,
      audit: { action: 'relink.account_mismatch', facts: { grant: 'shared' }, of: session },
    })
    await whole.close()
  })

  test('another account is accepted and audited if a deployment key allows it and completes the link', async () => {
    const { id, name } = await linked()
    const before = secretsOf(name)
    const session = { ...(await mintRelink(id, { allowOtherAccount: true, ...completed })), verifier }
    const since = await world.mark()
    world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })

    const { query } = await world.consent(session)
    const untilCompleted = secretsOf(name)
    await world.complete(session, query)

    expect(untilCompleted).toEqual(before)
    expect(await linkOf(session)).toMatchObject({ status: 'linked' })
    expect(secretsOf(name)).toMatchObject({ REFRESH_TOKEN: world.provider.issued.at(-1)?.token })
    const { body: audit } = await world.api('GET', `/audit?connectionId=${id}`)
    expect(audit.data).toContainEqual(
      expect.objectContaining({ action: 'relink.minted', facts: expect.objectContaining({ allowOtherAccount: true }) }),
    )
    expect(audit.data).toContainEqual(
      expect.objectContaining({
        action: 'link.linked',
        before: expect.objectContaining({ account: 'first@provider.example' }),
        after: expect.objectContaining({ account: 'second@provider.example' }),
      }),
    )
    await world.check(since, { tokenRequests: 2, audit: undefined }) // the exchange, and one trial of the new grant
  })

  test.each([
    ['another account is allowed', { allowOtherAccount: true }, 'set integration = integration'],
    ['the account is unknown', {}, 'set account_id = null, account_label = null'],
  ])('if %s, a link without a challenge and a return URL is rejected', async (_, more, change) => {
    const { id } = await linked()
    await world.sql.query(`update connections ${change} where id = $1`, [id])
    const since = await world.mark()
    const mint = (body: object) =>
      world.api('POST', `/connections/${id}/relink-sessions`, { reason: 'broken', ...body })

    const bare = await mint(more)
    const placeless = await mint({ ...more, completionChallenge: completed.completionChallenge })
    const whole = await mint({ ...more, ...completed })

    expect(bare).toMatchObject({ status: 422, body: { errors: [{ pointer: '/completionChallenge' }] } })
    expect(placeless).toMatchObject({ status: 422, body: { errors: [{ pointer: '/returnUrl' }] } })
    expect(whole.status).toBe(201)
    world.watch({ name: 'connect token', value: whole.body.url.split('/').at(-1) })
    await world.check(since, { audit: undefined })
  })

  test('a link that allows another account can be started once', async () => {
    const { id } = await linked()
    const session = await mintRelink(id, { allowOtherAccount: true, ...completed })
    const since = await world.mark()
    world.provider.misbehave({ callback: { code: undefined, error: 'access_denied' } })
    const browser = new HttpBrowser()
    await browser.follow(await browser.post(session.url), 'https://acme.example')
    world.provider.misbehave({ callback: {} })

    const again = await new HttpBrowser().post(session.url)

    expect(await linkOf(session)).toMatchObject({ status: 'denied' })
    expect(again.status).toBe(410)
    await world.check(since, {
      audit: [
        { action: 'link.denied', facts: { cause: 'consent_denied' }, of: session },
        { action: 'connect.rejected', facts: { refusal: 'token_used' }, of: session },
      ],
    })
  })

  test('a tenant’s key cannot allow another account', async () => {
    const { id } = await linked()
    const operator = { kind: 'operator' } as const
    const { key } = await world.world.apiKeys.create({ name: 'acme', tenant: 'acme' }, operator)
    world.watch({ name: 'api key', value: key.reveal() })
    const since = await world.mark()

    const answer = await world.apiAs(key.reveal())('POST', `/connections/${id}/relink-sessions`, {
      reason: 'any',
      allowOtherAccount: true,
    })

    expect(answer).toMatchObject({ status: 403, body: { code: 'key_limited' } })
    await world.check(since, { audit: undefined })
  })
})

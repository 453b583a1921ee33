// Whatever goes wrong on the way, the connection is as it was.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { grantRevoked } from '../../support/doubles/control-plane.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'
import { type RelinkWorld, startRelinking, titleOf, ways } from '../../support/worlds/relink-world.ts'

/** Runs a re-link that must come to nothing, and looks at the connection before and after. */
async function relinkInVain(world: RelinkWorld, more: Record<string, unknown> = {}) {
  const id = await world.link()
  const before = {
    secrets: await world.secretsOf(id),
    connection: await world.connection(id),
    kept: await world.storedGrantsOf(id),
  }
  return {
    id,
    before,
    relink: () => world.relink(id, more),
    async expectAsBefore() {
      expect(await world.secretsOf(id)).toEqual(before.secrets)
      expect(await world.connection(id)).toEqual(before.connection)
      expect(await world.storedGrantsOf(id)).toEqual(before.kept)
      const used = world.provider.issued.find(({ token }) => token === before.secrets.REFRESH_TOKEN)
      expect(used).toMatchObject({ revoked: false })
      const owned = [...world.platform.connections.values(), ...world.platform.functions.values()].filter(
        ({ metadata }) => Object.values(metadata.labels ?? {}).includes(id),
      )
      expect(owned).toHaveLength(2)
    },
  }
}

const newest = (world: RelinkWorld) => world.provider.issued.at(-1)

describe.each(ways)('with $way', ({ put }) => {
  let world: RelinkWorld

  beforeAll(async () => {
    world = await startRelinking({ put })
  })
  afterEach(() => {
    world.provider.calm()
    world.platform.fault = undefined
  })
  afterAll(() => world.close())

  test('a user who says no changes nothing', async () => {
    const attempt = await relinkInVain(world, { returnUrl })
    world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }

    const { page, link } = await attempt.relink()

    expect(link).toMatchObject({ status: 'denied', cause: { code: 'consent_denied' } })
    expect(new URL(page.url).searchParams.get('status')).toBe('denied')
    await attempt.expectAsBefore()
  })

  test('fewer permissions than before are not enough, and the grant is revoked', async () => {
    const attempt = await relinkInVain(world)
    world.provider.misbehave({ token: ({ body }) => ({ body: { ...body, scope: 'openid email' } }) })

    const { page, link } = await attempt.relink()

    expect(link).toMatchObject({ status: 'failed', cause: { code: 'scope_missing' }, missingScopes: ['files.read'] })
    expect(page.text).toContain('Some permissions are missing')
    expect(newest(world)?.revoked).toBe(true)
    await attempt.expectAsBefore()
  })

  test('a grant that does not work when it is tried never takes the place of the one in use', async () => {
    const attempt = await relinkInVain(world)
    world.provider.misbehave({ refresh: () => ({ status: 400, body: { error: 'invalid_grant' } }) })

    const { link } = await attempt.relink()

    expect(link).toMatchObject({ status: 'failed', cause: { code: 'grant_unusable' } })
    expect(newest(world)?.revoked).toBe(true)
    await attempt.expectAsBefore()
  })

  test('while the provider is away the new grant waits, and is tried again', async () => {
    const attempt = await relinkInVain(world)
    world.provider.misbehave({ refresh: () => ({ status: 503, body: {} }) })

    const { link } = await attempt.relink()
    await attempt.expectAsBefore()
    world.provider.calm()
    await world.passTime()

    expect(link).toMatchObject({ status: 'pending', step: 'connection', cause: { code: 'provider_unavailable' } })
    expect((await world.secretsOf(attempt.id)).REFRESH_TOKEN).toBe(newest(world)?.token)
  })

  test('when the platform refuses the new secrets, support finds the link and can resume it', async () => {
    const attempt = await relinkInVain(world)
    world.platform.fault = ({ method }) => (method === (put ? 'PUT' : 'POST') ? 422 : undefined)

    const { link } = await attempt.relink()
    world.platform.fault = undefined
    await attempt.expectAsBefore()
    const resumed = await world.api('POST', `/links/${link.id}/resume`)

    expect(link).toMatchObject({ status: 'needs_attention', cause: { code: 'platform_refused' } })
    expect(resumed.body).toMatchObject({ status: 'linked' })
    expect((await world.secretsOf(attempt.id)).REFRESH_TOKEN).toBe(newest(world)?.token)
  })

  test('a link that support did not get round to is not resumed over a newer one', async () => {
    const attempt = await relinkInVain(world)
    world.platform.fault = ({ method }) => (method === (put ? 'PUT' : 'POST') ? 422 : undefined)
    const { link } = await attempt.relink()
    world.platform.fault = undefined
    await world.relink(attempt.id)
    const secrets = await world.secretsOf(attempt.id)

    const resumed = await world.api('POST', `/links/${link.id}/resume`)

    expect(resumed).toMatchObject({ status: 409, body: { code: 'link_not_resumable' } })
    expect(await world.secretsOf(attempt.id)).toEqual(secrets)
  })

  test('while the platform is away the re-link waits, and ends by itself when it is back', async () => {
    const attempt = await relinkInVain(world)
    world.platform.fault = () => 503

    const { link } = await attempt.relink()
    world.platform.fault = undefined
    await world.passTime()

    expect(link).toMatchObject({ status: 'pending', cause: { code: 'platform_unavailable' } })
    expect(await world.connection(attempt.id)).toMatchObject({ status: 'active', relinkedAt: expect.any(String) })
  })

  test('when the function does not work with the new grant, the old one is put back and the new one revoked', async () => {
    const attempt = await relinkInVain(world)
    const { tool } = world.platform
    const old = attempt.before.secrets.REFRESH_TOKEN
    world.platform.tool = ({ REFRESH_TOKEN }) => (REFRESH_TOKEN === old ? undefined : grantRevoked)

    const { link } = await attempt.relink()
    world.platform.tool = tool

    // The page does not wait for as long as a busy machine may take to put everything back.
    const ended = async () => (await world.api('GET', `/links/${link.id}`)).body
    await expect
      .poll(ended)
      .toMatchObject({ status: 'failed', cause: { code: 'relink_rolled_back', whoseMove: 'support' } })
    expect(newest(world)?.revoked).toBe(true)
    await attempt.expectAsBefore()
  })

  test('a platform that is away while everything is put back is waited for', async () => {
    const attempt = await relinkInVain(world)
    const { tool } = world.platform
    world.platform.tool = () => {
      world.platform.fault = () => 503
      return grantRevoked
    }

    const { page, link } = await attempt.relink()
    Object.assign(world.platform, { tool, fault: undefined })
    await world.passTime()

    expect(page.status).toBe(200)
    expect(link).toMatchObject({ status: 'pending', step: 'verification', cause: { code: 'platform_unavailable' } })
    expect((await world.api('GET', `/links/${link.id}`)).body).toMatchObject({ cause: { code: 'relink_rolled_back' } })
    await attempt.expectAsBefore()
  })

  test('O13: what the provider does not take back stays sealed and is asked again; the user is told at once', async () => {
    const attempt = await relinkInVain(world)
    const narrower: typeof world.provider.behaviour.token = ({ body }) => ({ body: { ...body, scope: 'openid email' } })
    world.provider.misbehave({ refusesRevocation: true, token: narrower })

    const { link } = await attempt.relink()
    await world.passTime()
    const { rows } = await world.sql.query('select sealed from escrow where link_id = $1', [link.id])
    world.provider.calm()
    const resumed = await world.api('POST', `/links/${link.id}/resume`)

    expect(link).toMatchObject({ status: 'failed', cause: { code: 'scope_missing' } })
    expect(rows).toHaveLength(1)
    expect(resumed.body).toMatchObject({ status: 'failed', cause: { code: 'scope_missing' } })
    expect(newest(world)?.revoked).toBe(true)
    await attempt.expectAsBefore()
  })

  test('another account whose grant the provider does not take back at once is sent back when it has', async () => {
    const attempt = await relinkInVain(world)
    world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example', refusesRevocation: true })

    const { link } = await attempt.relink()
    world.provider.calm()
    await world.passTime(1)

    expect(link).toMatchObject({ status: 'pending', cause: { code: 'provider_unavailable' } })
    expect((await world.api('GET', `/links/${link.id}`)).body).toMatchObject({ cause: { code: 'account_mismatch' } })
    expect(newest(world)).toMatchObject({ subject: 'account-2', revoked: true })
    await attempt.expectAsBefore()
  })

  test('when the function refuses to be talked to, the old grant is put back after a few tries', async () => {
    const attempt = await relinkInVain(world)
    world.platform.fault = ({ path }) => (path.endsWith('/mcp') ? 422 : undefined)

    await attempt.relink()
    await world.passTime()
    world.platform.fault = undefined

    expect(await world.audit('link.rolling_back')).not.toEqual([])
    await attempt.expectAsBefore()
  })

  test('two re-links of one connection at the same time follow one another, and one grant is left', async () => {
    const id = await world.link()
    const before = world.provider.issued.length

    await Promise.all([world.relink(id), world.relink(id)])
    await world.passTime()

    const alive = world.provider.issued.slice(before).filter(({ revoked }) => !revoked)
    expect(alive).toHaveLength(1)
    expect((await world.secretsOf(id)).REFRESH_TOKEN).toBe(alive[0]?.token)
    expect(await world.connection(id)).toMatchObject({ status: 'active' })
  })
})

describe('a link to mend a connection', () => {
  let world: RelinkWorld

  beforeAll(async () => {
    world = await startRelinking()
  })
  afterEach(() => world.provider.calm())
  afterAll(() => world.close())

  test('lives up to seven days, is not used up by looking at it, and says whose account is meant', async () => {
    const id = await world.link()
    const session = await world.mintRelink(id, { ttlSeconds: 7 * 24 * 3_600 })
    const tooLong = await world.api('POST', `/connections/${id}/relink-sessions`, {
      reason: 'any',
      ttlSeconds: 7 * 24 * 3_600 + 1,
    })

    const looks = await Promise.all([1, 2, 3].map(() => new HttpBrowser().get(session.url)))

    expect(tooLong.status).toBe(422)
    expect(looks.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(looks[0]?.text).toContain('first@provider.example')
    expect(looks[0]?.text).toContain('expires in 7 days')
    expect((await world.api('GET', `/connect-sessions/${session.id}`)).body).toMatchObject({
      status: 'open',
      purpose: 'relink',
      connectionId: id,
    })
  })

  test('needs a reason, and a return URL that is registered', async () => {
    const id = await world.link()
    const path = `/connections/${id}/relink-sessions`

    expect((await world.api('POST', path, {})).status).toBe(422)
    expect((await world.api('POST', path, { reason: 'any', returnUrl: 'https://evil.example/' })).status).toBe(422)
  })

  test('can be withdrawn, and ends when its time is over', async () => {
    const id = await world.link()
    const [withdrawn, expired] = [await world.mintRelink(id), await world.mintRelink(id)]
    await world.api('POST', `/connect-sessions/${withdrawn.id}/cancel`)
    await world.sql.query('update connect_sessions set expires_at = now() where id = $1', [expired.id])

    const pages = [await new HttpBrowser().post(withdrawn.url), await new HttpBrowser().post(expired.url)]

    expect(pages.map(({ status }) => status)).toEqual([410, 410])
    expect(pages.map(titleOf)).toEqual(['This link has expired', 'This link has expired'])
  })

  test('can be withdrawn, too, when somebody has said no and it could be started again', async () => {
    const id = await world.link()
    const session = await world.mintRelink(id)
    world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
    const browser = new HttpBrowser()
    await browser.follow(await browser.post(session.url))
    world.provider.calm()
    const shown = await world.world.support.openAddresses(id)

    const cancelled = await world.api('POST', `/connect-sessions/${session.id}/cancel`)
    const again = await new HttpBrowser().post(session.url)

    expect(shown).toMatchObject([{ id: session.id }])
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect(again.status).toBe(410)
    expect(await world.world.support.openAddresses(id)).toEqual([])
  })

  test('cannot be withdrawn once it has done its work, and is no longer shown', async () => {
    const id = await world.link()
    const session = await world.mintRelink(id)
    const browser = new HttpBrowser()
    await browser.follow(await browser.post(session.url))

    const cancelled = await world.api('POST', `/connect-sessions/${session.id}/cancel`)

    expect(cancelled).toMatchObject({ status: 409, body: { code: 'session_started' } })
    expect(await world.world.support.openAddresses(id)).toEqual([])
  })

  test('may be started again by who said no, or was away too long; once it has done its work it has ended', async () => {
    const id = await world.link()
    const session = await world.mintRelink(id)
    const start = async (browser = new HttpBrowser()) => browser.follow(await browser.post(session.url))
    world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
    await start()
    const denied = await world.linkBy(session.id)
    world.provider.calm()
    await new HttpBrowser().post(session.url) // goes no further than the provider's door
    await world.sql.query('update links set due_at = now() where session_id = $1', [session.id])
    await world.flows.sweepLinks()
    const left = await world.linkBy(session.id)

    const page = await start()
    const late = await new HttpBrowser().post(session.url)

    expect([denied.status, left.status]).toEqual(['denied', 'abandoned'])
    expect(titleOf(page)).toBe('Provider is reconnected')
    expect(await world.linkBy(session.id)).toMatchObject({ status: 'linked' })
    expect(late.status).toBe(410)
    expect((await world.api('GET', `/links/${denied.id}`)).body).toMatchObject({ status: 'denied' })
  })

  test('is started once at a time, whoever else has the address', async () => {
    const id = await world.link()
    const session = await world.mintRelink(id)
    const first = new HttpBrowser()
    await first.post(session.url)

    const others = await Promise.all([1, 2, 3].map(() => new HttpBrowser().post(session.url)))

    expect(others.map(({ status }) => status)).toEqual([410, 410, 410])
    expect((await first.post(session.url)).status).toBe(200)
  })

  test('tells the provider which account is meant', async () => {
    const id = await world.link()

    await world.relink(id)

    expect(world.provider.seen.authorizations.at(-1)).toMatchObject({
      login_hint: 'first@provider.example',
      prompt: 'consent',
    })
  })

  test('tells the tenant by a webhook of its own, and the audit tells before and after', async () => {
    const id = await world.link()
    await world.sql.query(`update connections set status = 'needs_relink', cause = 'grant_revoked' where id = $1`, [id])

    const { link } = await world.relink(id)

    const { rows } = await world.sql.query(`select event from outbox where payload ->> 'linkId' = $1`, [link.id])
    expect(rows).toEqual([{ event: 'connection.relinked' }])
    const { body } = await world.api('GET', `/audit?linkId=${link.id}&action=link.linked`)
    expect(body.data).toMatchObject([
      {
        connectionId: id,
        before: { status: 'needs_relink', cause: 'grant_revoked' },
        after: { status: 'active', cause: null },
      },
    ])
  })

  test('repairs a connection that was deleted on the platform', async () => {
    const id = await world.link()
    const { name } = await world.connection(id)
    world.platform.connections.delete(`acme/${name}`)

    const { link } = await world.relink(id)

    expect(link).toMatchObject({ status: 'linked' })
    expect(world.platform.connections.has(`acme/${name}`)).toBe(true)
  })

  test('never writes over what somebody else put under our name', async () => {
    const id = await world.link()
    const { name } = await world.connection(id)
    const theirs = { metadata: { name, labels: {} }, spec: { secret: { theirs: 'yes' } } }
    world.platform.connections.set(`acme/${name}`, theirs)

    const { link } = await world.relink(id)

    expect(link).toMatchObject({ status: 'needs_attention', cause: { code: 'name_taken' } })
    expect(world.platform.connections.get(`acme/${name}`)).toBe(theirs)
  })
})

test('at a provider that rotates, a trial whose answer was lost is not repeated: the second use would end everything', async () => {
  const world = await startRelinking({ integration: { revocation: { reach: 'grant' }, rotation: 'replaces' } })
  Object.assign(world.provider.behaviour, { rotates: true, revokesWholeGrant: true })
  const id = await world.link()
  const before = await world.secretsOf(id)
  world.provider.misbehave({ refresh: (_req, res) => void res.destroy() })

  const { link } = await world.relink(id)
  world.provider.misbehave({ refresh: undefined })
  await world.passTime()

  expect(link).toMatchObject({ status: 'failed', cause: { code: 'grant_unusable' } })
  expect(world.provider.seen.tokenRequests.filter(({ grant_type }) => grant_type === 'refresh_token')).toHaveLength(1)
  expect(await world.secretsOf(id)).toEqual(before)
  expect(world.provider.issued.find(({ token }) => token === before.REFRESH_TOKEN)).toMatchObject({ revoked: false })
  await world.close()
})

test('at a provider that rotates, a re-link that waits for the provider says when it is tried next, and can be tried now', async () => {
  const world = await startRelinking({ integration: { revocation: { reach: 'grant' }, rotation: 'replaces' } })
  Object.assign(world.provider.behaviour, { rotates: true, revokesWholeGrant: true })
  const id = await world.link()
  world.provider.misbehave({ refresh: () => ({ status: 503, body: {} }) })

  const { link: waiting } = await world.relink(id)
  world.provider.calm()
  const tried = await world.api('POST', `/links/${waiting.id}/resume`)

  expect(waiting).toMatchObject({ step: 'connection', cause: { code: 'provider_unavailable' } })
  expect(waiting.nextAttemptAt).toMatch(/^20/)
  expect(tried).toMatchObject({ status: 200, body: { status: 'linked' } })
  await world.close()
})

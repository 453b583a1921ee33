import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { grantRevoked } from '../../support/doubles/control-plane.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type RelinkWorld, startRelinking, titleOf, ways } from '../../support/worlds/relink-world.ts'

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

  const owned = (id: string) =>
    [...world.platform.connections.values(), ...world.platform.functions.values()].filter(({ metadata }) =>
      Object.values(metadata.labels ?? {}).includes(id),
    )

  test('a re-link replaces the grant of the connection and revokes the previous one', async () => {
    const id = await world.link()
    const before = await world.secretsOf(id)
    const first = await world.connection(id)

    const { page, link } = await world.relink(id)

    const after = await world.secretsOf(id)
    expect(link).toMatchObject({ status: 'linked', purpose: 'relink', connectionId: id })
    expect(titleOf(page)).toBe('Provider is reconnected')
    expect(after.REFRESH_TOKEN).not.toBe(before.REFRESH_TOKEN)
    expect(world.provider.seen.revocations).toEqual([before.REFRESH_TOKEN])
    const now = await world.connection(id)
    expect(now).toMatchObject({ status: 'active', functionUrl: first.functionUrl, relinkedAt: expect.any(String) })
    expect(now.name === first.name).toBe(put)
    expect(await world.storedGrantsOf(id)).toMatchObject([{ slot: 'current', sealed: expect.stringMatching(/^v1\./) }])
    expect(owned(id)).toHaveLength(2)
  })

  test('a re-link whose function fails restores the previous grant and revokes the new one', async () => {
    const id = await world.link()
    const state = async () => [await world.secretsOf(id), await world.connection(id), await world.storedGrantsOf(id)]
    const before = await state()
    const { tool } = world.platform
    world.platform.tool = ({ REFRESH_TOKEN }) => (REFRESH_TOKEN === before[0].REFRESH_TOKEN ? undefined : grantRevoked)

    const { link } = await world.relink(id)
    world.platform.tool = tool

    // The page may respond before a busy machine has restored everything.
    const ended = async () => (await world.api('GET', `/links/${link.id}`)).body
    await expect
      .poll(ended)
      .toMatchObject({ status: 'failed', cause: { code: 'relink_rolled_back', whoseMove: 'support' } })
    expect(await state()).toEqual(before)
    const revoked = (token: string) => world.provider.issued.find((issued) => issued.token === token)?.revoked
    expect([revoked(before[0].REFRESH_TOKEN), world.provider.issued.at(-1)?.revoked]).toEqual([false, true])
    expect(owned(id)).toHaveLength(2)
  })
})

describe('a re-link', () => {
  let world: RelinkWorld

  beforeAll(async () => {
    world = await startRelinking()
  })
  afterEach(() => {
    world.provider.calm()
    world.platform.fault = undefined
  })
  afterAll(() => world.close())

  test('is not blocked by another one that waits for the right account', async () => {
    const id = await world.link()
    world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })
    const stranger = await world.relink(id)
    world.provider.misbehave({ subject: 'account-1', email: 'first@provider.example' })

    const { link } = await world.relink(id)

    expect(stranger.link).toMatchObject({ status: 'pending', cause: { code: 'account_mismatch' } })
    expect(link).toMatchObject({ status: 'linked' })
  })

  test('that needs attention cannot be resumed after a newer one', async () => {
    const id = await world.link()
    world.platform.fault = ({ method }) => (method === 'PUT' ? 422 : undefined)
    const { link } = await world.relink(id)
    world.platform.fault = undefined
    await world.relink(id)
    const secrets = await world.secretsOf(id)

    const resumed = await world.api('POST', `/links/${link.id}/resume`)

    expect(resumed).toMatchObject({ status: 409, body: { code: 'link_not_resumable' } })
    expect(await world.secretsOf(id)).toEqual(secrets)
  })

  test('waits for a concurrent one, and one grant remains', async () => {
    const id = await world.link()
    const before = world.provider.issued.length

    await Promise.all([world.relink(id), world.relink(id)])
    await world.passTime()

    const alive = world.provider.issued.slice(before).filter(({ revoked }) => !revoked)
    expect(alive).toHaveLength(1)
    expect((await world.secretsOf(id)).REFRESH_TOKEN).toBe(alive[0]?.token)
    expect(await world.connection(id)).toMatchObject({ status: 'active' })
  })

  test('session lives up to seven days, survives page views and shows the account', async () => {
    const id = await world.link()
    const week = 7 * 24 * 3_600
    const session = await world.mintRelink(id, { ttlSeconds: week })
    const body = { reason: 'any', ttlSeconds: week + 1 }
    const tooLong = await world.api('POST', `/connections/${id}/relink-sessions`, body)

    const pages = await Promise.all([1, 2, 3].map(() => new HttpBrowser().get(session.url)))

    expect(tooLong.status).toBe(422)
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(pages[0]?.text).toContain('first@provider.example')
    expect((await world.api('GET', `/connect-sessions/${session.id}`)).body).toMatchObject({
      ...{ status: 'open', purpose: 'relink', connectionId: id },
    })
  })

  test('can be started again after a denied or abandoned consent, and not after it succeeded', async () => {
    const id = await world.link()
    const session = await world.mintRelink(id)
    const start = async (browser = new HttpBrowser()) => browser.follow(await browser.post(session.url))
    const open = async () => (await world.world.support.openAddresses(id)).map((address) => address.id)
    world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
    await start()
    const denied = await world.linkBy(session.id)
    const openAfterDenial = await open()
    world.provider.calm()
    await new HttpBrowser().post(session.url)
    await world.sql.query('update links set due_at = now() where session_id = $1', [session.id])
    await sweepLinks(world.ports, world.settings)
    const abandoned = await world.linkBy(session.id)

    const page = await start()
    const late = await new HttpBrowser().post(session.url)

    expect([denied.status, abandoned.status]).toEqual(['denied', 'abandoned'])
    expect(titleOf(page)).toBe('Provider is reconnected')
    expect(await world.linkBy(session.id)).toMatchObject({ status: 'linked' })
    expect(late.status).toBe(410)
    expect((await world.api('GET', `/links/${denied.id}`)).body).toMatchObject({ status: 'denied' })
    expect([openAfterDenial, await open()]).toEqual([[session.id], []])
  })
})

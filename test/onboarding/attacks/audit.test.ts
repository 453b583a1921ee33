// Case 60 of the attack catalogue: an action that cannot be audited is not performed.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type AttackWorld, linkOf, startAttackWorld } from '../../support/worlds/attack-world.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'

let world: AttackWorld

beforeAll(async () => {
  world = await startAttackWorld()
})
afterEach(() => world.sql.query('drop trigger if exists mute on audit'))
afterAll(() => world.close())

/** As a record whose right to be written was taken away, or whose disk is full, answers. */
const mute = (code: string) =>
  world.sql.query(`
    create or replace function mute() returns trigger language plpgsql as
      $$ begin raise 'no' using errcode = '${code}'; end $$;
    create trigger mute before insert on audit for each statement execute function mute()`)
const speak = () => world.sql.query('drop trigger mute on audit')

describe('case 60, an audit that cannot be written', () => {
  test.each([
    ['read-only', '42501'],
    ['full', '53100'],
  ])('when it is %s, no session is created, no redirect is sent and no code is spent', async (_, code) => {
    const waiting = await world.mint()
    const consented = await world.mint()
    const { query } = await world.consent(consented)
    const before = await world.mark()
    const authorizations = world.provider.seen.authorizations.length
    await mute(code)

    const browser = new HttpBrowser()
    const minted = await world.api('POST', '/connect-sessions', {
      tenantId: 'acme',
      integrationId: 'provider',
      endUser: { id: 'user-60' },
      returnUrl,
      completionChallenge: 'c'.repeat(43),
    })
    const tenant = await world.api('PUT', '/tenants/acme', {
      workspace: 'acme',
      displayName: 'Changed',
      returnUrls: [returnUrl],
    })
    const started = await browser.post(waiting.url)
    const completed = await world.complete(consented, query)
    const page = await new HttpBrowser().get(waiting.url)
    await speak()

    for (const { status, body, headers } of [minted, tenant, completed]) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'store_unavailable', '5'])
    }
    expect([started.status, started.headers.get('refresh'), started.headers.get('location')]).toEqual([503, null, null])
    expect(started.headers.getSetCookie()).toEqual([])
    expect(page.status).toBe(200)
    expect(world.provider.seen.authorizations).toHaveLength(authorizations)
    expect(await linkOf(world, waiting)).toBeUndefined()
    expect((await world.api('GET', '/tenants/acme')).body.displayName).not.toBe('Changed')
    await world.check(before, { audit: undefined })
  })

  test('a callback is rejected and succeeds once the audit log is writable again', async () => {
    const minted = await world.mint()
    const { browser, url: callback } = await world.untilCallback(minted)
    const before = await world.mark()
    await mute('53100')

    const refused = await browser.get(callback)
    await speak()
    const taken = await browser.get(callback)

    expect([refused.status, refused.headers.get('location')]).toEqual([503, null])
    expect([taken.status, taken.headers.get('location')]).toEqual([303, expect.stringContaining(returnUrl)])
    // The state was claimed before the record could be asked; the ledger knows that nothing came of it.
    await world.check(before, { audit: { action: 'callback.replayed', of: minted } })
  })
})

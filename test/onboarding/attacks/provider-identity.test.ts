// Case 51 of the attack catalogue: an identity token is believed only when everything about it is right.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { misbehaviours } from '../../support/doubles/provider/misbehaviours.ts'
import { type Behaviour, startProvider } from '../../support/doubles/provider/provider.ts'
import { type AttackWorld, linkOf, startAttackWorld } from '../../support/worlds/attack-world.ts'

let world: AttackWorld

beforeAll(async () => {
  world = await startAttackWorld()
})
afterAll(() => world.close())

describe('case 51, ID-token abuse and clock', () => {
  test.each<[keyof typeof misbehaviours, string]>([
    ['unsignedIdentity', 'answer_malformed'],
    ['identitySignedWithClientSecret', 'answer_malformed'],
    ['identityOfUnknownKey', 'identity_invalid'],
    ['identityWithBrokenSignature', 'answer_malformed'],
    ['identityForOthersToo', 'identity_invalid'],
    ['identityAuthorizedForOthers', 'identity_invalid'],
    ['identityForSomebodyElse', 'identity_invalid'],
    ['identityOfOtherIssuer', 'identity_invalid'],
    ['identityWithOtherNonce', 'identity_invalid'],
    ['identityWithoutNonce', 'answer_malformed'],
    ['identityWithoutSubject', 'answer_malformed'],
    ['noIdentity', 'identity_invalid'],
    ['identityFromTheFuture', 'identity_invalid'],
    ['identityExpiredTenMinutesAgo', 'identity_invalid'],
    ['clockFiveMinutesFast', 'identity_invalid'],
  ])('%s is rejected as %s, and the grant is revoked', async (name, cause) => {
    const { body, before, minted } = await linkWith(world, misbehaviours[name])

    expect(body).toMatchObject({ status: 'failed', cause: { code: cause } })
    expect(world.provider.issued.at(-1)?.revoked).toBe(true)
    await world.check(before, { tokenRequests: 1, audit: { action: 'link.failed', facts: { cause }, of: minted } })
  })

  test.each<keyof typeof misbehaviours>([
    'identityForOthersAuthorizedForUs',
    'identityExpiredASecondAgo',
    'clockFiveMinutesSlow',
  ])('%s is accepted', async (name) => {
    const { body, before } = await linkWith(world, misbehaviours[name])

    expect(body).toMatchObject({ status: 'linked' })
    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
  })
})

describe('case 51, an account from userinfo', () => {
  test('a userinfo response about another account is ignored', async () => {
    const asking = await startAttackWorld({ integration: { account: { from: 'userinfo' } } })
    const userinfo: Behaviour['userinfo'] = (res) =>
      void res.json({ sub: 'somebody-else', email: 'x@provider.example' })

    const { body, before, minted } = await linkWith(asking, { userinfo })

    expect(body).toMatchObject({ status: 'failed', cause: { code: 'identity_invalid' } })
    expect(asking.provider.issued.at(-1)?.revoked).toBe(true)
    await asking.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.failed', facts: { cause: 'identity_invalid' }, of: minted },
    })
    await asking.close()
  })

  test.each<[string, Behaviour['userinfo'], string]>([
    ['refuses', (res) => void res.status(403).end(), 'failed'],
    ['does not exist', (res) => void res.status(404).end(), 'failed'],
    ['returns a signed response', (res) => void res.type('application/jwt').send('e30.e30.x'), 'failed'],
    ['is overloaded', (res) => void res.status(429).end(), 'pending'],
    ['is broken', (res) => void res.status(502).end(), 'pending'],
  ])('a userinfo endpoint that %s is only called again if that can help', async (_, userinfo, status) => {
    const asking = await startAttackWorld({ integration: { account: { from: 'userinfo' } } })

    const { body, before, minted } = await linkWith(asking, { userinfo })

    const isOver = status === 'failed'
    expect(body).toMatchObject({ status, cause: { code: isOver ? 'identity_invalid' : 'provider_unavailable' } })
    expect(asking.provider.issued.at(-1)?.revoked).toBe(isOver)
    const audit = isOver
      ? { action: 'link.failed', facts: { cause: 'identity_invalid', detail: 'userinfo' }, of: minted }
      : undefined
    await asking.check(before, { tokenRequests: 1, audit })
    await asking.close()
  })
})

describe('case 51, accounts with unusual names', () => {
  test('long account IDs that differ in their last letter are different accounts', async () => {
    const ids = []
    for (const last of ['a', 'b']) {
      world.provider.misbehave({ subject: last.padStart(255, 's') })
      const { body, before } = await linkWith(world, {})
      ids.push(body.connection.upstreamAccount.id)
      await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
    }
    world.provider.calm()

    expect(ids).toEqual(['a'.padStart(255, 's'), 'b'.padStart(255, 's')])
  })

  test.each([
    ['a control character', '\u0007'],
    ['half a surrogate pair', 'a\ud800'],
    ['a zero byte', 'a\u0000'],
    ['a novel', 's'.repeat(501)],
  ])('an account called %s cannot be pinned to a connection', async (_, subject) => {
    world.provider.misbehave({ subject })

    const { body, before, minted } = await linkWith(world, {})

    expect(body).toMatchObject({ status: 'failed', cause: { code: 'identity_invalid' } })
    expect(world.provider.issued.at(-1)?.revoked).toBe(true)
    const audit = { action: 'link.failed', facts: { cause: 'identity_invalid', detail: 'account' }, of: minted }
    await world.check(before, { tokenRequests: 1, audit })
    world.provider.calm()
  })

  test.each([
    ['is truncated between characters', `${'x'.repeat(199)}😀😀`, `${'x'.repeat(199)}😀`],
    ['contains no invisible characters', '\u0000 me\ud800 ', 'me'],
    ['is the account ID if nothing else remains', '\u0000', 'account-1'],
  ])('its displayed name %s', async (_, email, label) => {
    world.provider.misbehave({ email })

    const { body, before } = await linkWith(world, {})

    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
    world.provider.calm()
    expect(body.connection.upstreamAccount).toEqual({ id: 'account-1', label })
    expect((await world.api('GET', `/connections/${body.connection.id}`)).body.upstreamAccount.label).toBe(label)
  })
})

describe('case 51, unavailable keys', () => {
  test('if the key server is down, the grant waits in escrow and the keys are requested again', async () => {
    const honest = await startProvider()
    const nowhere = `127.0.0.1:${await freePort()}`
    const waiting = await startAttackWorld({ others: { honest }, honest: 'honest', egressAllow: [nowhere] })
    waiting.provider.misbehave({ metadata: { jwks_uri: `http://${nowhere}/jwks` } })

    const { body, before } = await linkWith(waiting, {})

    expect(body).toMatchObject({ step: 'connection', status: 'pending', cause: { code: 'provider_unavailable' } })
    expect(waiting.provider.issued.map(({ revoked }) => revoked)).toEqual([false])
    await waiting.check(before, { tokenRequests: 1, audit: undefined })
    await waiting.close()
    await honest.close()
  })
})

async function linkWith(at: AttackWorld, switches: Partial<Behaviour>) {
  const minted = await at.mint()
  const { query } = await at.consent(minted)
  at.provider.misbehave(switches)
  const before = await at.mark()
  await at.complete(minted, query)
  return { before, minted, body: await linkOf(at, minted) }
}

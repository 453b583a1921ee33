// Case 51 of the attack catalogue: an identity token is believed only when everything about it is right.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AttackWorld, linkOf, startAttackWorld } from '../../support/attack-world.ts'
import { misbehaviours } from '../../support/provider/misbehaviours.ts'
import type { Behaviour } from '../../support/provider/provider.ts'

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
    ['noIdentity', 'answer_malformed'],
    ['identityFromTheFuture', 'identity_invalid'],
    ['identityExpiredTenMinutesAgo', 'identity_invalid'],
    ['clockFiveMinutesFast', 'identity_invalid'],
  ])('%s is refused as %s, and what was granted is given back', async (name, cause) => {
    const { body, before } = await linkWith(world, misbehaviours[name])

    expect(body).toMatchObject({ status: 'failed', cause: { code: cause } })
    expect(world.provider.issued.at(-1)?.revoked).toBe(true)
    await world.check(before, { tokenRequests: 1, audit: { action: 'link.failed', reason: cause } })
  })

  test.each<keyof typeof misbehaviours>([
    'identityForOthersAuthorizedForUs',
    'identityExpiredASecondAgo',
    'clockFiveMinutesSlow',
  ])('%s is still believed', async (name) => {
    const { body, before } = await linkWith(world, misbehaviours[name])

    expect(body).toMatchObject({ status: 'linked' })
    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
  })
})

describe('case 51, an account told by userinfo', () => {
  test('an answer about another account than the identity token’s is not used', async () => {
    const asking = await startAttackWorld({ integration: { account: { from: 'userinfo' } } })
    const userinfo: Behaviour['userinfo'] = (res) =>
      void res.json({ sub: 'somebody-else', email: 'x@provider.example' })

    const { body, before } = await linkWith(asking, { userinfo })

    expect(body).toMatchObject({ status: 'failed', cause: { code: 'identity_invalid' } })
    await asking.check(before, { tokenRequests: 1, audit: { action: 'link.failed', reason: 'identity_invalid' } })
    await asking.close()
  })
})

async function linkWith(at: AttackWorld, switches: Partial<Behaviour>) {
  const minted = await at.mint()
  const { query } = await at.consent(minted)
  at.provider.misbehave(switches)
  const before = await at.mark()
  await at.complete(minted, query)
  return { before, body: await linkOf(at, minted) }
}

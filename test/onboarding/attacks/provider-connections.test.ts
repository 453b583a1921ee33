// Case 46 of the attack catalogue: a provider that takes its time, or the connection away, costs us little of either.
import type { Response } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guardedFetch } from '../../../src/kit/guarded-fetch.ts'
import { openidProvider } from '../../../src/onboarding/adapters/openid/provider.ts'
import { type AttackWorld, linkOf, startAttackWorld } from '../../support/attack-world.ts'
import { holds, misbehaviours } from '../../support/provider/misbehaviours.ts'

// The program waits ten seconds; here it is impatient, so that nobody has to.
const timeoutMs = 1_500

let world: AttackWorld

beforeAll(async () => {
  world = await startAttackWorld({
    replace: ({ now }, { egressAllow, publicUrl }) => ({
      provider: openidProvider({
        fetch: guardedFetch({ allow: egressAllow, timeoutMs }),
        now,
        redirectUri: (id) => `${publicUrl}/oauth/callback/${id}`,
      }),
    }),
  })
})
afterAll(() => world.close())

describe('case 46, hang, slow-loris, drip', () => {
  test.each<keyof typeof misbehaviours>([
    'hangs',
    'sendsHeadersOnly',
    'drips',
    'closesHalfWay',
    'resetsAfterHeaders',
    'floods',
  ])('%s: the wait is bounded, the outcome honest, and the code is not sent again', async (name) => {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    world.provider.misbehave(misbehaviours[name])
    const before = await world.mark()

    const { body } = await world.complete(minted, query)

    expect(body).toMatchObject({ state: 'exchange_unknown', status: 'failed', cause: { code: 'exchange_unknown' } })
    expect(await linkOf(world, minted)).toMatchObject({ state: 'exchange_unknown' })
    await world.check(before, {
      tokenRequests: 1,
      audit: { action: 'link.exchange_unknown', reason: 'exchange_unknown' },
    })
  })

  test('fifty requests that hang leave room for an honest one', async () => {
    const patient = await startAttackWorld()
    const hanging = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const minted = await patient.mint()
        return { minted, query: (await patient.consent(minted)).query }
      }),
    )
    const held: Response[] = []
    patient.provider.misbehave(holds(held))
    const before = await patient.mark()
    let answered = 0
    const waiting = Promise.all(
      hanging.map(({ minted, query }) => patient.complete(minted, query).finally(() => answered++)),
    )
    // A machine that is itself overloaded turns a few away before they get that far.
    await expect.poll(() => held.length + answered, { timeout: 30_000 }).toBeGreaterThanOrEqual(50)
    patient.provider.misbehave({ token: undefined })

    await patient.linkHonestly()
    for (const res of held) res.destroy()
    const outcomes = await waiting

    const unknown = outcomes.filter(({ body }) => body.state === 'exchange_unknown').length
    expect(unknown).toBe(held.length)
    await patient.check(before, {
      tokenRequests: held.length + 1,
      posts: 2,
      audit: { action: 'link.exchange_unknown', reason: 'exchange_unknown', times: held.length },
    })
    await patient.close()
  })
})

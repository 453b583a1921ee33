// Case 46 of the attack catalogue: a provider that takes its time, or the connection away, costs us little of either.
import type { Response } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedFetch, guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { openidProvider } from '../../../src/onboarding/provisioning/adapters/openid/provider.ts'
import { holds, misbehaviours } from '../../support/doubles/provider/misbehaviours.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type AttackWorld, linkOf, startAttackWorld } from '../../support/worlds/attack-world.ts'
import type { MintedSession } from '../../support/worlds/onboarding-world.ts'

// The program's timeout is ten seconds. It is short here for misbehaving providers, and unchanged for honest ones,
// because a machine may be slow.
const timeoutMs = 1_500

let world: AttackWorld
let closeBoth: () => Promise<unknown>

beforeAll(async () => {
  world = await startAttackWorld({
    replace: ({ now }, { egressAllow, publicUrl }) => {
      const patient = guardedFetch({ allow: egressAllow })
      const impatient = guardedFetch({ allow: egressAllow, timeoutMs })
      const ask = (...request: Parameters<GuardedFetch>) =>
        (world.provider.behaviour.token ? impatient : patient)(...request)
      closeBoth = () => Promise.all([patient.close(), impatient.close()])
      const fetch = Object.assign(ask, { mayCall: patient.mayCall, close: patient.close })
      return { provider: openidProvider({ fetch, now, redirectUri: (id) => `${publicUrl}/oauth/callback/${id}` }) }
    },
  })
})
afterAll(async () => {
  await world.close()
  await closeBoth()
})

/** The user has consented before the token endpoint begins to misbehave. */
async function completeWith(name: keyof typeof misbehaviours) {
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  world.provider.misbehave(misbehaviours[name])
  const before = await world.mark()
  const { body } = await world.complete(minted, query)
  return { minted, before, body }
}

describe('case 46, hang, slow-loris, drip', () => {
  test.each<keyof typeof misbehaviours>(['hangs', 'sendsHeadersOnly', 'drips', 'resetsAfterHeaders'])(
    '%s: the wait is bounded, the outcome is accurate, and the code is not resent',
    async (name) => {
      const { minted, before, body } = await completeWith(name)

      expect(body).toMatchObject({ status: 'failed', cause: { code: 'exchange_unknown' } })
      expect(await linkOf(world, minted)).toMatchObject({ status: 'failed', step: 'exchange' })
      await world.check(before, {
        tokenRequests: 1,
        audit: { action: 'link.exchange_unknown', facts: { cause: 'exchange_unknown' }, of: minted },
      })
    },
  )

  test.each<keyof typeof misbehaviours>(['closesHalfWay', 'floods'])(
    '%s: the response is truncated and kept, because it may contain a token',
    async (name) => {
      const { minted, before, body } = await completeWith(name)

      expect(body).toMatchObject({ status: 'needs_attention', cause: { code: 'answer_unreadable' } })
      await world.check(before, {
        tokenRequests: 1,
        audit: { action: 'link.needs_attention', facts: { cause: 'answer_unreadable' }, of: minted },
      })
    },
  )

  test('twenty hanging requests do not block another one', async () => {
    const patient = await startAttackWorld()
    const hanging: Array<{ minted: MintedSession; query: Record<string, string> }> = []
    // One after the other: it is the exchange that has to bear many at once.
    while (hanging.length < 20) {
      const minted = await patient.mint()
      hanging.push({ minted, query: (await patient.consent(minted)).query })
    }
    const held: Response[] = []
    patient.provider.misbehave(holds(held))
    const before = await patient.mark()
    let answered = 0
    const waiting = Promise.all(
      hanging.map(({ minted, query }) => patient.complete(minted, query).finally(() => answered++)),
    )
    // A machine that is itself overloaded turns a few away before they get that far.
    await expect.poll(() => held.length + answered, { timeout: 60_000 }).toBeGreaterThanOrEqual(20)
    patient.provider.misbehave({ token: undefined })

    await patient.linkHonestly()
    for (const res of held) res.destroy()
    await waiting
    // Requests that outlast the server's wait get a response before the exchange ends.
    const links = await waitFor('no exchange is under way', async () => {
      const found: Array<Awaited<ReturnType<typeof linkOf>>> = []
      for (const { minted } of hanging) found.push(await linkOf(patient, minted))
      return found.every(({ status, step }) => status !== 'pending' || step !== 'exchange') && found
    })

    const unknown = hanging.filter((_, at) => links[at]?.cause?.code === 'exchange_unknown')
    expect(unknown).toHaveLength(held.length)
    await patient.check(before, {
      tokenRequests: held.length + 1,
      posts: 2,
      audit: {
        action: 'link.exchange_unknown',
        facts: { cause: 'exchange_unknown' },
        of: unknown.map(({ minted }) => minted),
      },
    })
    await patient.close()
  }, 180_000)
})

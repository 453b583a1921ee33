// S4: every 2xx response of a token endpoint is stored before it is evaluated.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { exchange, keptBytes, type Salvage, type SalvageWorld, startSalvage } from './salvage-world.ts'
import { largestAnswer, type Outcome, refreshToken, type TokenAnswer, tokenAnswers } from './token-answers.ts'

let salvage: Salvage
let world: SalvageWorld
let link: Link

beforeAll(async () => {
  salvage = await startSalvage()
})
afterAll(() => salvage.close())
beforeEach(async () => {
  world = await salvage.open()
  link = await world.addLink()
})

const tokensOnPlatform = () =>
  world.platform.calls.flatMap((call) => /^createConnection \S+ (.*)$/.exec(call)?.[1] ?? [])

const sentBytes = ({ body }: TokenAnswer) => Buffer.from(body as string).subarray(0, largestAnswer)

const ends: Record<Outcome, Partial<Link>> = {
  linked: { state: 'linked', cause: undefined },
  revoked: { state: 'failed' },
  kept: { state: 'needs_attention', cause: 'answer_unreadable', resumeFrom: 'escrowed' },
  nothing: { state: 'failed' },
  unknown: { state: 'exchange_unknown' },
}

describe('S4: a token response with status 2xx', () => {
  test.each(Object.entries(tokenAnswers).map(([name, answer]) => ({ name, answer, outcome: answer.outcome })))(
    '$name: $outcome',
    async ({ answer, outcome }) => {
      salvage.endpoint.answers(answer)

      const ended = await exchange(world, link)

      expect(ended).toMatchObject(ends[outcome])
      expect(tokensOnPlatform()).toEqual(outcome === 'linked' ? [refreshToken] : [])
      expect(salvage.endpoint.seen.revoked).toHaveLength(outcome === 'revoked' ? 1 : 0)
      const kept = await keptBytes(world, link)
      expect(kept && Buffer.compare(kept, sentBytes(answer))).toBe(outcome === 'kept' ? 0 : undefined)
    },
  )

  test('is requested without compression', async () => {
    salvage.endpoint.answers(tokenAnswers['JSON as in RFC 6749'] as TokenAnswer)

    await exchange(world, link)

    expect(salvage.endpoint.seen.heads.at(-1)).toMatch(/accept-encoding: identity/i)
  })

  test('is listed in the reference, in the same order', () => {
    const text = readFileSync(new URL('../../../docs/reference/token-answers.md', import.meta.url), 'utf8')
    const rows = [...text.matchAll(/^\| (.+?) \| `(\w+)` \|$/gm)].map(([, name, outcome]) => [name, outcome])

    expect(rows).toEqual(Object.entries(tokenAnswers).map(([name, { outcome }]) => [name, outcome]))
  })
})

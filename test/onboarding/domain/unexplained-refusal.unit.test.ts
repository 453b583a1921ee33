import { expect, test } from 'vitest'
import {
  type ClientVerdict,
  judgeUnexplained,
  type Siblings,
} from '../../../src/onboarding/domain/health/unexplained-refusal.ts'

const now = new Date('2026-11-18T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000)
const good = (seconds: number): ClientVerdict => ({ is: 'good', at: ago(seconds) })
const unknown: ClientVerdict = { is: 'unknown', at: ago(1) }
const rejected: ClientVerdict = { is: 'rejected', cause: 'client_secret_expired', at: ago(500) }
const others = (worked: number, refused: number, unchecked: number): Siblings => ({ worked, refused, unchecked })

const held = 'unclear refresh_refused'
const ofUser = 'broken grant_revoked'

test.each<[string, Date | undefined, ClientVerdict | undefined, Siblings | undefined, string]>([
  ['the first refusal, with a valid client', undefined, good(1), undefined, held],
  ['the first refusal, with a rejected client', undefined, rejected, undefined, 'unclear client_secret_expired'],
  ['a repeated refusal, with a rejected client', ago(300), rejected, undefined, 'unclear client_secret_expired'],
  ['a repeated refusal, with a valid client', ago(300), good(1), undefined, ofUser],
  ['a repeated refusal, with a client that was valid before the first one', ago(300), good(301), undefined, held],
  ['a repeated refusal, while the client is being probed', ago(300), undefined, undefined, held],
  ['a refusal seconds after the first, with a valid client', ago(6), good(1), undefined, held],
  ['client unknown, and most other grants work', ago(300), unknown, others(3, 2, 10), ofUser],
  ['client unknown, and as many others are refused', ago(300), unknown, others(2, 2, 0), held],
  ['client unknown, and all others are refused', ago(300), unknown, others(0, 19, 0), held],
  ['client unknown, before others are checked', ago(300), unknown, others(0, 0, 2), held],
  ['client unknown, and the client has one other grant', ago(300), unknown, others(0, 1, 0), ofUser],
  ['client unknown, and the client has no other grant', ago(300), unknown, others(0, 0, 0), ofUser],
])('O21: %s', (_, firstAt, client, siblings, expected) => {
  const { outcome, cause } = judgeUnexplained({ now, firstAt, client, siblings })

  expect(`${outcome} ${cause}`).toBe(expected)
})

import { beforeEach, expect, test } from 'vitest'
import { rateLimit } from '../../../src/kit/rates/rate-limit.ts'
import { hashPassword } from '../../../src/platform/identity/domain/password.ts'
import { signIn } from '../../../src/platform/identity/flows/sign-in.ts'

const now = () => new Date('2026-01-01T00:00:00Z')
const limitsOf = (visitor: number, account: number) => ({
  guesses: rateLimit({ count: visitor, perSeconds: 900, now }),
  accountGuesses: rateLimit({ count: account, perSeconds: 900, now }),
})

let pauses: number[] = []
const pause = async (ms: number) => void pauses.push(ms)

beforeEach(() => {
  pauses = []
})

test('guesses at one account are counted together, whatever the spelling of its address', async () => {
  const user = { id: 'u1', email: 'admin@acme.example', roles: [], passwordHash: undefined, passwordSetAt: undefined }
  const ports = {
    // As PostgreSQL does in some locales: the dotted capital becomes a plain letter, which it does not in JavaScript.
    users: { findByEmail: async (email: string) => (email.replace('İ', 'i') === user.email ? user : undefined) },
    limits: limitsOf(2, 100),
    pause,
  }
  const guess = (email: string, password: string) => signIn(ports, { email, password, from: 'here' })

  await guess('admin@acme.example', 'first')
  await guess('admİn@acme.example', 'second')

  await expect(guess('admİn@acme.example', 'third')).rejects.toMatchObject({ code: 'too_many_requests' })
  expect(await guess('nobody@acme.example', 'first')).toBeUndefined()
})

const known = async (limits: ReturnType<typeof limitsOf>) => {
  const passwordHash = await hashPassword('open sesame')
  const user = { id: 'u1', email: 'admin@acme.example', roles: [], passwordHash, passwordSetAt: undefined }
  const ports = { users: { findByEmail: async () => user }, limits, pause }
  return (password: string, from: string) => signIn(ports, { email: user.email, password, from })
}

test('S12: a guessing client is rejected, and the correct password from another client is accepted', async () => {
  const attempt = await known(limitsOf(2, 100))
  for (const guess of ['one', 'two']) await attempt(guess, 'stranger')

  await expect(attempt('open sesame', 'stranger')).rejects.toMatchObject({
    code: 'too_many_requests',
    detail:
      'Too many requests: at most 2 wrong passwords for one account from one address are taken within 900 seconds. Try again in 900 s.',
    retryAfterSeconds: 900,
  })
  expect(await attempt('open sesame', 'owner')).toBe('u1')
})

test('S12: an account with many wrong guesses responds more slowly, but can still sign in', async () => {
  const attempt = await known(limitsOf(2, 3))
  for (const from of ['a', 'b', 'c']) await attempt('guess', from)
  const before = [...pauses]

  expect(await attempt('open sesame', 'owner')).toBe('u1')
  expect([before, pauses]).toEqual([[], [2_000]])
})

test('S12: correct passwords are not counted', async () => {
  const attempt = await known(limitsOf(2, 2))

  for (let at = 0; at < 5; at++) expect(await attempt('open sesame', 'owner')).toBe('u1')
  expect(pauses).toEqual([])
})

test('S12: concurrent guesses are limited like sequential ones', async () => {
  const attempt = await known(limitsOf(2, 100))

  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => attempt('guess', 'stranger')))

  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(3)
})

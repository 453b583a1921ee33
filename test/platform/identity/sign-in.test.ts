import { expect, test } from 'vitest'
import { rateLimit } from '../../../src/kit/rates/rate-limit.ts'
import { signIn } from '../../../src/platform/identity/flows/sign-in.ts'

test('however an address is spelled, guesses at one account are counted together', async () => {
  const user = { id: 'u1', email: 'admin@acme.example', roles: [], passwordHash: undefined }
  const now = () => new Date('2026-01-01T00:00:00Z')
  const guess = signIn({
    // As PostgreSQL does in some locales: the dotted capital becomes a plain letter, which it does not in JavaScript.
    users: { findByEmail: async (email) => (email.replace('İ', 'i') === user.email ? user : undefined) },
    attempts: rateLimit({ count: 2, perSeconds: 900, now }),
  })

  await guess('admin@acme.example', 'first')
  await guess('admİn@acme.example', 'second')

  await expect(guess('admİn@acme.example', 'third')).rejects.toMatchObject({ code: 'too_many_requests' })
  expect(await guess('nobody@acme.example', 'first')).toBeUndefined()
})

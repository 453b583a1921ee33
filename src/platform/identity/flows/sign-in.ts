import type { RateLimit } from '../../../kit/rates/rate-limit.ts'
import { assertWithinLimit } from '../../shared/domain/limit.ts'
import { passwordMatches } from '../domain/password.ts'
import type { Users } from '../domain/ports.ts'

type Ports = {
  users: Pick<Users, 'findByEmail'>
  limits: {
    guesses: Omit<RateLimit, 'exceeded' | 'news'>
    accountGuesses: Pick<RateLimit, 'take' | 'release'>
  }
  pause: (ms: number) => Promise<unknown>
}

/** `from`: the client, as rate limits count it. */
type Attempt = { email: string; password: string; from: string }

const slowMs = 2_000

/** Too many guesses for an account only slow it down: rejecting would let attackers lock out its owner. */
export async function signIn(
  { users, limits: { guesses, accountGuesses }, pause }: Ports,
  { email, password, from }: Attempt,
): Promise<string | undefined> {
  const user = await users.findByEmail(email)
  // The database decides which spellings are one account, because it folds case differently.
  const account = user ? `user:${user.id}` : `email:${email.toLowerCase()}`
  // Counted before the check, so that concurrent guesses can't pass the limit.
  assertWithinLimit(guesses.take(`${account}|${from}`), guesses, 'wrong passwords for one account from one address')
  if (accountGuesses.take(account) !== undefined) await pause(slowMs)
  if (!(await passwordMatches(password, user?.passwordHash))) return undefined
  guesses.release(`${account}|${from}`)
  accountGuesses.release(account)
  return user?.id
}

import type { RateLimit } from '../../../kit/rates/rate-limit.ts'
import { assertWithinLimit } from '../../shared/domain/limit.ts'
import { passwordMatches } from '../domain/password.ts'
import type { Users } from '../domain/ports.ts'

/** `from` is the visitor, as limits count them. */
export type SignIn = (email: string, password: string, from: string) => Promise<string | undefined>

type Needs = {
  users: Pick<Users, 'findByEmail'>
  limits: {
    /** Wrong passwords of one visitor for one account. */
    guesses: Omit<RateLimit, 'exceeded' | 'news'>
    /** Wrong passwords for one account, wherever they come from. */
    accountGuesses: Pick<RateLimit, 'take' | 'release'>
  }
  pause: (ms: number) => Promise<unknown>
}

const slowMs = 2_000

/**
 * Returns the id of the user, or undefined if they do not match. A visitor who guesses wrong is refused; an account that
 * many guess at only answers more slowly, or strangers could keep its owner out.
 */
export const signIn =
  ({ users, limits: { guesses, accountGuesses }, pause }: Needs): SignIn =>
  async (email, password, from) => {
    const user = await users.findByEmail(email)
    // The store decides which spellings are one account (it folds letters differently than we do), so it is asked first.
    const account = user ? `user:${user.id}` : `email:${email.toLowerCase()}`
    // Counted before the password is checked, or many at once would all be let through.
    assertWithinLimit(guesses.take(`${account}|${from}`), guesses, 'wrong passwords for one account from one address')
    if (accountGuesses.take(account) !== undefined) await pause(slowMs)
    if (!(await passwordMatches(password, user?.passwordHash))) return undefined
    guesses.release(`${account}|${from}`)
    accountGuesses.release(account)
    return user?.id
  }

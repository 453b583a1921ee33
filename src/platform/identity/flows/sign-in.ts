import type { RateLimit } from '../../../kit/rates/rate-limit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { passwordMatches } from '../domain/password.ts'
import type { Users } from '../domain/ports.ts'

export type SignIn = (email: string, password: string) => Promise<string | undefined>

type Needs = { users: Pick<Users, 'findByEmail'>; attempts: Pick<RateLimit, 'take'> }

/** Returns the id of the user, or undefined if they do not match. Attempts are limited by account, also successful ones. */
export const signIn =
  ({ users, attempts }: Needs): SignIn =>
  async (email, password) => {
    const user = await users.findByEmail(email)
    // The store decides which spellings are one account (it folds letters differently than we do), so it is asked first.
    const retryAfterSeconds = attempts.take(user ? `user:${user.id}` : `email:${email.toLowerCase()}`)
    if (retryAfterSeconds !== undefined) {
      throw new Failure('too_many_requests', 'Too many attempts. Please wait a while.', { retryAfterSeconds })
    }
    return (await passwordMatches(password, user?.passwordHash)) ? user?.id : undefined
  }

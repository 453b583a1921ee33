import type { Failure, FailureCode } from '../../../domain/failure.ts'
import { consoleErrorLocals } from '../../../http/locals/console-error.ts'

const next = encodeURIComponent('/support/signed-in')

const signIn: Partial<Record<FailureCode, string>> = {
  sign_in_needed: `/support/sign-in?next=${next}`,
  sign_in_stale: `/support/sign-in/start?again&next=${next}`,
}

/** `signIn` is undefined for somebody who has signed in again already, in another tab. */
export const keptFormLocals = (failure: Failure, requestId: string) => ({
  title: signIn[failure.code]
    ? consoleErrorLocals(failure, requestId, '').title
    : 'You signed in again since you opened this form',
  detail: signIn[failure.code] ? failure.detail : undefined,
  signIn: signIn[failure.code],
  requestId,
})

import type { Failure, FailureCode } from '../../domain/failure.ts'

type Words = { title: string; advice: string }

const startAgain = 'Go back to the application you came from and start again.'

const words: Partial<Record<FailureCode, Words>> = {
  connect_ended: {
    title: 'This link has ended',
    advice:
      'Go back to the application you came from and start again, or ask whoever sent you this address for a new one.',
  },
  callback_unknown: { title: 'This authorization has ended', advice: startAgain },
  callback_malformed: { title: 'The app sent an answer we cannot read', advice: startAgain },
  callback_foreign: { title: 'This answer is not for this browser', advice: startAgain },
  origin_foreign: { title: 'This request came from another site', advice: startAgain },
  console_off: { title: 'There is no support console here', advice: 'Ask whoever runs this installation.' },
  sign_in_needed: { title: 'Please sign in again', advice: 'Nothing was changed. Open the console and sign in.' },
  sign_in_failed: { title: 'You are not signed in', advice: 'Open the console and start again.' },
  sign_in_stale: { title: 'Please prove that it is you', advice: 'Sign in again, then do it once more.' },
  role_missing: {
    title: 'This is not yours to do',
    advice: 'Ask a colleague with another role, or whoever gives roles.',
  },
  input_invalid: { title: 'Something is missing or wrong', advice: 'Go back, correct it and send it again.' },
  not_found: { title: 'There is nothing here', advice: 'Check the address, or go back to where you came from.' },
  provider_unavailable: { title: 'The app does not answer', advice: 'Nothing was linked. Try again in a few minutes.' },
  rate_limited: { title: 'Too many tries', advice: 'Wait a minute, then try again.' },
  store_unavailable: { title: 'We cannot go on right now', advice: 'Nothing was lost. Try again in a minute.' },
}

const unexpected: Words = {
  title: 'Something went wrong on our side',
  advice: 'Try again. If it happens again, tell support the request id below.',
}

export function errorLocals({ code, detail }: Failure, requestId: string) {
  const { title, advice } = words[code] ?? unexpected
  return { title, detail, advice, requestId }
}

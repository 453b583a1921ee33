// Before there is a grant: consent, the callback and the completion of a session.
export const consentCauses = {
  consent_denied: {
    whoseMove: 'user',
    title: 'Access was declined',
    advice: 'Start again and allow access when the app asks.',
  },
  user_cancelled: {
    whoseMove: 'user',
    title: 'The user cancelled',
    advice: 'They chose Cancel before going to the app, and nothing was shared. Start again to connect after all.',
  },
  consent_failed: {
    whoseMove: 'provider',
    title: 'The app could not ask for consent',
    advice: 'The app reported an error of its own. Try again in a few minutes.',
  },
  session_expired: {
    whoseMove: 'user',
    title: 'The request expired',
    advice: 'The link was not finished in time. Start again from where you came from.',
  },
  session_cancelled: {
    whoseMove: 'tenant',
    title: 'The request was cancelled',
    advice: 'Request a new link if it is still needed.',
  },
  completion_missing: {
    whoseMove: 'tenant',
    title: 'The link was never confirmed',
    advice: 'The application that requested it did not confirm it in time. Start again from there.',
  },
  completion_refused: {
    whoseMove: 'tenant',
    title: 'The confirmation did not match',
    advice: 'The application that requested it sent the wrong verifier too many times. Start again from there.',
  },
  callback_rejected: {
    whoseMove: 'provider',
    title: 'The app’s response cannot be trusted',
    advice: 'Nothing was linked. If it happens again, contact support.',
  },
  code_refused: {
    whoseMove: 'user',
    title: 'The app rejected its own authorization code',
    advice: 'It may have expired on the way. Start again.',
  },
} as const

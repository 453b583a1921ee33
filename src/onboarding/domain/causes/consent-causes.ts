import type { CauseEntry } from './cause-entry.ts'

export const consentCauses = {
  consent_denied: {
    whoseMove: 'user',
    title: 'Access was declined',
    advice: 'Start again and allow access when the app asks.',
    forUser: {
      title: 'Access was declined',
      advice: 'Nothing was changed. To connect after all, start again and allow access when {app} asks.',
    },
    guide: 'connect-your-users.md#the-four-steps',
  },
  user_cancelled: {
    whoseMove: 'user',
    title: 'The user cancelled',
    advice: 'They chose Cancel before going to the app, and nothing was shared. Start again to connect after all.',
    forUser: {
      title: 'You cancelled',
      advice: 'Nothing was shared with {tenant}. To connect {app} after all, start again.',
    },
    guide: 'connect-your-users.md#the-four-steps',
  },
  consent_failed: {
    whoseMove: 'provider',
    title: 'The app could not ask for consent',
    advice: 'The app reported an error. Try again in a few minutes.',
    forUser: {
      title: '{app} couldn’t complete the request',
      advice: 'Nothing was changed; try again in a few minutes. If it keeps happening, please contact {tenant}.',
    },
    guide: 'connect-your-users.md#the-four-steps',
  },
  session_expired: {
    whoseMove: 'user',
    title: 'The request expired',
    advice: 'The link was not finished in time. Start again from where you came from.',
    forUser: {
      title: 'This request has expired',
      advice: 'Nothing was changed. Start again from the link you were sent, or from {tenant}.',
    },
    guide: 'connect-your-users.md#when-it-takes-longer',
  },
  session_cancelled: {
    whoseMove: 'tenant',
    title: 'The request was cancelled',
    advice: 'Request a new link if it is still needed.',
    forUser: {
      title: 'This request was cancelled',
      advice: 'You don’t need to do anything. If you still want to connect, please contact {tenant} for a new link.',
    },
    guide: 'connect-your-users.md#the-four-steps',
  },
  completion_missing: {
    whoseMove: 'tenant',
    title: 'The link was never confirmed',
    advice: 'The application that requested it did not confirm it in time. Start again from there.',
    forUser: {
      title: '{tenant} didn’t confirm in time',
      advice:
        '{tenant} didn’t confirm that it was you who came back, so nothing was connected. Start again from {tenant}, and contact them if it keeps happening.',
    },
    guide: 'connect-your-users.md#the-four-steps',
  },
  completion_refused: {
    whoseMove: 'tenant',
    title: 'The confirmation did not match',
    advice: 'The application that requested it sent the wrong verifier too many times. Start again from there.',
    forUser: {
      title: '{tenant} couldn’t confirm it was you',
      advice: 'To be safe, nothing was connected. Please contact {tenant} before you start again.',
    },
    guide: 'connect-your-users.md#the-four-steps',
  },
  callback_rejected: {
    whoseMove: 'provider',
    title: 'The app’s response cannot be trusted',
    advice: 'Nothing was linked. If it happens again, contact support.',
    forUser: {
      title: 'We received a response we can’t trust',
      advice: 'To be safe, nothing was connected. Start again, and please contact {tenant} if it keeps happening.',
    },
    guide: 'add-an-integration.md#any-other-provider',
  },
  code_refused: {
    whoseMove: 'user',
    title: 'The app rejected its own authorization code',
    advice: 'It may have expired on the way. Start again.',
    forUser: {
      title: '{app} needs to ask you again',
      advice: 'Your permission expired before it could be used, so nothing was connected. Please start again.',
    },
    guide: 'connect-your-users.md#the-four-steps',
  },
} as const satisfies Record<string, CauseEntry>

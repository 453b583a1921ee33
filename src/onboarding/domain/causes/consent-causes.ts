import type { CauseEntry } from './cause-entry.ts'

export const consentCauses = {
  consent_denied: {
    whoseMove: 'user',
    title: 'Access was declined',
    advice: 'Start again and allow access when the app asks.',
    forUser: {
      title: 'You didn’t allow access',
      advice: 'Nothing was connected. Try again and choose Allow at {app}.',
    },
    forAgent: 'The user declined at the app. Ask them to start again and choose Allow there.',
    guide: 'connect-your-users.md#the-four-steps',
  },
  user_cancelled: {
    whoseMove: 'user',
    title: 'The user cancelled',
    advice: 'They chose Cancel before going to the app, and nothing was shared. Start again to connect after all.',
    forUser: {
      title: 'You cancelled',
      advice: 'Nothing was connected, and nothing was shared with {tenant}. If you change your mind, try again.',
    },
    forAgent: 'The user chose Cancel, and nothing was shared. They can start again whenever they want.',
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
    forAgent: 'The app reported an error while it asked for consent. Ask the user to try again in a few minutes.',
    guide: 'connect-your-users.md#the-four-steps',
  },
  session_expired: {
    whoseMove: 'user',
    title: 'The request expired',
    advice: 'The link was not finished in time. Start again from where you came from.',
    forUser: {
      title: 'This request has expired',
      advice: 'Nothing was changed. Open the link you were sent again, or go back to {tenant}.',
    },
    forAgent: 'The user did not finish in time. Send a new link, or ask them to start again in the tenant’s product.',
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
    forAgent: 'Someone cancelled this link. Create a new one if it is still needed.',
    guide: 'connect-your-users.md#the-four-steps',
  },
  completion_missing: {
    whoseMove: 'tenant',
    title: 'The link was never confirmed',
    advice: 'The application that requested it did not confirm it in time. Start again from there.',
    forUser: {
      title: '{tenant} didn’t confirm in time',
      advice:
        '{tenant} didn’t confirm that it was you who came back, so nothing was connected. Try again from {tenant}, and contact them if it keeps happening.',
    },
    forAgent:
      'The tenant’s product did not confirm that the user came back. Ask the user to start again there, and tell the tenant if it happens again.',
    guide: 'connect-your-users.md#the-four-steps',
  },
  completion_refused: {
    whoseMove: 'tenant',
    title: 'The confirmation did not match',
    advice: 'The application that requested it sent the wrong verifier too many times. Start again from there.',
    forUser: {
      title: '{tenant} couldn’t confirm it was you',
      advice: 'To be safe, nothing was connected. Please contact {tenant} before you try again.',
    },
    forAgent:
      'The tenant’s product confirmed with the wrong code too often. Tell the tenant, then ask the user to start again.',
    guide: 'connect-your-users.md#the-four-steps',
  },
  callback_rejected: {
    whoseMove: 'provider',
    title: 'The app’s response cannot be trusted',
    advice: 'Nothing was linked. If it happens again, contact support.',
    forUser: {
      title: 'We received a response we can’t trust',
      advice: 'To be safe, nothing was connected. Try again, and please contact {tenant} if it keeps happening.',
    },
    forAgent:
      'The response did not come from this user’s request, so nothing was connected. Ask the user to start again. Tell your operator if it happens again.',
    guide: 'add-an-integration.md#any-other-provider',
  },
  code_refused: {
    whoseMove: 'user',
    title: 'The app rejected its own authorization code',
    advice: 'It may have expired on the way. Start again.',
    forUser: {
      title: '{app} needs to ask you again',
      advice: 'Your permission expired before it could be used, so nothing was connected. Please try again.',
    },
    forAgent: 'The app’s answer expired on the way. Ask the user to start again.',
    guide: 'connect-your-users.md#the-four-steps',
  },
} as const satisfies Record<string, CauseEntry>

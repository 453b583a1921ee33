// Why a link or a connection is not working: one closed list for the return URL, the API, webhooks, pages and audit.

/** `operator`: whoever runs this deployment, where its own keys, clients or integrations are at fault. */
export const whoseMoves = ['user', 'tenant', 'support', 'operator', 'provider', 'platform'] as const
export type WhoseMove = (typeof whoseMoves)[number]

type Explanation = { whoseMove: WhoseMove; title: string; advice: string }

export const causes = {
  consent_denied: {
    whoseMove: 'user',
    title: 'Access was not allowed',
    advice: 'Start again and choose to allow access when you are asked.',
  },
  consent_failed: {
    whoseMove: 'provider',
    title: 'The app could not ask for consent',
    advice: 'The app reported a problem of its own. Try again in a few minutes.',
  },
  session_expired: {
    whoseMove: 'user',
    title: 'The link was not finished in time',
    advice: 'Start again from where you came from.',
  },
  session_cancelled: {
    whoseMove: 'tenant',
    title: 'The link was cancelled',
    advice: 'Ask for a new link if it is still wanted.',
  },
  completion_missing: {
    whoseMove: 'tenant',
    title: 'The link was never confirmed',
    advice: 'The application that asked for it did not confirm it in time. Start again from there.',
  },
  completion_refused: {
    whoseMove: 'tenant',
    title: 'The confirmation did not match',
    advice: 'The application that asked for it sent a wrong verifier too often. Start again from there.',
  },
  callback_rejected: {
    whoseMove: 'provider',
    title: 'The app sent an answer we cannot trust',
    advice: 'Nothing was linked. If it happens again, tell support.',
  },
  code_refused: {
    whoseMove: 'user',
    title: 'The app did not accept its own authorization',
    advice: 'It may have expired on the way. Start again.',
  },
  client_rejected: {
    whoseMove: 'operator',
    title: 'The app does not accept our OAuth client',
    advice:
      'The client id or secret registered for this integration is wrong or was changed. Whoever registered it corrects it: the operator of this deployment, or the tenant for a client of its own. Then try again.',
  },
  provider_unavailable: {
    whoseMove: 'provider',
    title: 'The app did not answer',
    advice: 'It seems to be down or overloaded. Try again in a few minutes.',
  },
  answer_malformed: {
    whoseMove: 'provider',
    title: 'The app sent an answer we cannot read',
    advice: 'Nothing was linked. Support can see which answer it was.',
  },
  identity_invalid: {
    whoseMove: 'provider',
    title: 'The app could not prove which account this is',
    advice: 'Nothing was linked. If it happens again, tell support.',
  },
  no_refresh_token: {
    whoseMove: 'user',
    title: 'The app did not grant lasting access',
    advice: "Remove this application from the app's list of connected applications, then start again.",
  },
  scope_missing: {
    whoseMove: 'user',
    title: 'Some permissions were not granted',
    advice: 'Start again and leave every permission ticked.',
  },
  account_mismatch: {
    whoseMove: 'user',
    title: 'You signed in with another account',
    advice: 'Start again and sign in with the account this connection belongs to.',
  },
  grant_unusable: {
    whoseMove: 'user',
    title: 'What was granted does not work',
    advice: 'The app granted access and did not honour it. The connection is as it was; start again.',
  },
  relink_rolled_back: {
    whoseMove: 'support',
    title: 'The new access did not work',
    advice: 'Everything was put back as it was. Support has to look at it before you try again.',
  },
  grant_revoked: {
    whoseMove: 'user',
    title: 'Access was withdrawn',
    advice: 'The app no longer accepts what was granted: it was revoked or has expired. Link the account again.',
  },
  connection_gone: {
    whoseMove: 'tenant',
    title: 'The connection was removed',
    advice: 'It was disconnected in the meantime. Link the account anew if it is still wanted.',
  },
  connection_busy: {
    whoseMove: 'platform',
    title: 'The connection is being changed already',
    advice: 'Something else is under way with it. We go on when that has ended.',
  },
  exchange_unknown: {
    whoseMove: 'user',
    title: 'We do not know whether access was granted',
    advice: 'The app took our request and never answered. Start again; nothing was linked.',
  },
  platform_unavailable: {
    whoseMove: 'platform',
    title: 'The platform did not answer',
    advice: 'We keep trying and will finish this without you.',
  },
  platform_refused: {
    whoseMove: 'operator',
    title: 'The platform refused to set this up',
    advice:
      'The key of the platform, or the workspace, does not allow it. The operator of this deployment has to look at it. What was granted is kept safe until then.',
  },
  name_taken: {
    whoseMove: 'support',
    title: 'The name is taken on the platform',
    advice: 'Something that is not ours has this name. Support has to look at it.',
  },
  integration_removed: {
    whoseMove: 'operator',
    title: 'The integration is no longer offered here',
    advice:
      'The operator of this deployment has to put it back, or its OAuth client. What was granted already is kept safe until then.',
  },
  worker_crashed: {
    whoseMove: 'support',
    title: 'We stopped working on this link',
    advice: 'It ended our workers again and again, so it was set aside. Support has to look at it before it goes on.',
  },
  function_failed: {
    whoseMove: 'support',
    title: 'The function did not start',
    advice: 'Support has to look at it. What you granted is kept safe until then.',
  },
} as const satisfies Record<string, Explanation>

export type Cause = keyof typeof causes

export const causeCodes = Object.keys(causes) as [Cause, ...Cause[]]

export type ExplainedCause = Explanation & { code: Cause; guide: string }

/** A cause as it is told outside; `guide` is the address, below that of the deployment, that says more about it. */
export const explain = (cause: Cause): ExplainedCause => ({ code: cause, ...causes[cause], guide: `/causes/${cause}` })

// Causes in words for end users, who know only the app they connect and the product that asked for it.
import { type Cause, causes, type WhoseMove } from '../../domain/cause.ts'

/** Display names. `app`: what the user connects. `tenant`: the product that asked for it. */
export type Names = { app: string; tenant: string }

type Words = { title: string; userAdvice: string }

/** The causes' own advice is for whoever runs the tenant's product, who can do more about them. */
const userWords: Record<Cause, (names: Names) => Words> = {
  consent_denied: ({ app }) => ({
    title: 'Access was declined',
    userAdvice: `Nothing was changed. To connect after all, start again and choose to allow access when ${app} asks.`,
  }),
  consent_failed: ({ app, tenant }) => ({
    title: `${app} couldn’t complete the request`,
    userAdvice: `${app} reported a problem, and nothing was changed. Try again in a few minutes. If it keeps happening, please contact ${tenant}.`,
  }),
  session_expired: ({ tenant }) => ({
    title: 'This request has expired',
    userAdvice: `Nothing was changed. Start again from the link you were sent, or from ${tenant}.`,
  }),
  session_cancelled: ({ tenant }) => ({
    title: 'This request was cancelled',
    userAdvice: `You don’t need to do anything. If you still want to connect, please contact ${tenant} for a new link.`,
  }),
  completion_missing: ({ tenant }) => ({
    title: `${tenant} didn’t confirm in time`,
    userAdvice: `${tenant} has to confirm that it was you who came back. It didn’t, so nothing was connected. Start again from ${tenant}. If it keeps happening, please contact ${tenant}.`,
  }),
  completion_refused: ({ tenant }) => ({
    title: `${tenant} couldn’t confirm it was you`,
    userAdvice: `${tenant} has to confirm that it was you who came back. That failed, so nothing was connected. Please contact ${tenant} before you start again.`,
  }),
  callback_rejected: ({ tenant }) => ({
    title: 'We received a response we can’t trust',
    userAdvice: `To be safe, nothing was connected. Start again from where you came from. If it keeps happening, please contact ${tenant}.`,
  }),
  code_refused: ({ app }) => ({
    title: `${app} needs to ask you again`,
    userAdvice: 'Your permission expired before it could be used, so nothing was connected. Start again.',
  }),
  client_rejected: notRegistered,
  redirect_uri_rejected: notRegistered,
  callback_missing: ({ app, tenant }) => ({
    title: 'This request has expired',
    userAdvice: `Nothing was changed. If ${app} showed you an error, it wasn’t your fault: please contact ${tenant}. Otherwise start again from there.`,
  }),
  provider_unavailable: ({ app, tenant }) => ({
    title: `${app} isn’t responding`,
    userAdvice: `It may be down or very busy. Try again in a few minutes. If it keeps happening, please contact ${tenant}.`,
  }),
  answer_malformed: ({ app, tenant }) => ({
    title: `${app} sent a response we can’t use`,
    userAdvice: `Nothing was connected. Please contact ${tenant}: this has to be looked into before you start again.`,
  }),
  answer_unreadable: ({ app, tenant }) => ({
    title: `${app} sent a response we can’t read`,
    userAdvice: `You don’t need to do anything: the response is stored safely while we look into it. If ${tenant} still can’t use ${app} tomorrow, please contact them.`,
  }),
  identity_invalid: ({ app, tenant }) => ({
    title: `${app} didn’t say which account this is`,
    userAdvice: `Nothing was connected. Start again. If it keeps happening, please contact ${tenant}.`,
  }),
  no_refresh_token: ({ app, tenant }) => ({
    title: `${app} granted temporary access only`,
    userAdvice: `${tenant} needs access that lasts. In your ${app} settings, remove this app from your connected apps, then start again.`,
  }),
  refresh_tokens_off: ({ app, tenant }) => ({
    title: `${app} granted temporary access only`,
    userAdvice: `Nothing was connected, and you don’t need to do anything. ${tenant} has to change how it is registered at ${app}; please contact them.`,
  }),
  refresh_tokens_not_approved: ({ app, tenant }) => ({
    title: `${app} granted temporary access only`,
    userAdvice: `Nothing was connected, and you don’t need to do anything. ${app} has to approve ${tenant} first; please contact ${tenant}.`,
  }),
  scope_missing: () => ({
    title: 'Some permissions are missing',
    userAdvice: 'Nothing was changed. Start again and leave every permission selected.',
  }),
  account_mismatch: ({ app }) => ({
    title: 'You signed in with a different account',
    userAdvice: `Nothing was changed. Start again and sign in to ${app} with the account you connected before.`,
  }),
  grant_unusable: ({ app, tenant }) => ({
    title: `${app}’s permission didn’t work`,
    userAdvice: `We tested the permission you gave, and it didn’t work. Nothing was changed. Start again, and contact ${tenant} if it keeps happening.`,
  }),
  relink_rolled_back: ({ tenant }) => ({
    title: 'The new connection didn’t work',
    userAdvice: `We restored the previous one. You don’t need to do anything: you’ll be asked again once we know why. Questions? Please contact ${tenant}.`,
  }),
  grant_revoked: ({ app }) => ({
    title: 'Access was revoked',
    userAdvice: `${app} no longer accepts the permission you gave: it was revoked or has expired. Start again to restore the connection.`,
  }),
  refresh_refused: ({ app, tenant }) => ({
    title: `${app} didn’t renew access`,
    userAdvice: `We’ll try again soon. If it still doesn’t work, you’ll be asked to connect again. Questions? Please contact ${tenant}.`,
  }),
  connection_gone: ({ app, tenant }) => ({
    title: 'This connection was removed',
    userAdvice: `It was disconnected in the meantime. If you still want it, connect ${app} again from ${tenant}.`,
  }),
  connection_busy: () => ({
    title: 'Another change is in progress',
    userAdvice: 'You don’t need to do anything. We’ll continue when the other change is finished.',
  }),
  exchange_unknown: ({ app }) => ({
    title: `${app} didn’t confirm access`,
    userAdvice: `${app} received our request but never responded. Nothing was connected. Start again.`,
  }),
  platform_unavailable: ({ tenant }) => ({
    title: 'This is taking longer than usual',
    userAdvice: `You don’t need to do anything. Your permission is stored safely, and we’ll keep trying. If ${tenant} still can’t use it tomorrow, please contact them.`,
  }),
  platform_refused: setupFailed,
  platform_misconfigured: ({ tenant }) => ({
    title: 'This is taking longer than usual',
    userAdvice: `You don’t need to do anything. Your permission is stored safely, and we’ll continue once a setting on our side is fixed. If ${tenant} still can’t use it tomorrow, please contact them.`,
  }),
  name_taken: setupFailed,
  worker_crashed: setupFailed,
  sealed_unreadable: setupFailed,
  function_failed: setupFailed,
  integration_removed: ({ app, tenant }) => ({
    title: `${app} can’t be connected right now`,
    userAdvice: `It isn’t available here at the moment. You don’t need to do anything: you’ll be asked again if it’s still needed. Questions? Please contact ${tenant}.`,
  }),
}

function notRegistered({ app, tenant }: Names): Words {
  return {
    title: `${app} rejected the connection`,
    userAdvice: `This service isn’t registered correctly with ${app}. You can start again once that’s fixed. Questions? Please contact ${tenant}.`,
  }
}

/** The exact reason is for support: the user can do nothing with it. */
function setupFailed({ app, tenant }: Names): Words {
  return {
    title: 'The connection couldn’t be set up',
    userAdvice: `${app} gave permission, but we couldn’t finish the setup. You don’t need to do anything: your permission is stored safely while we look into it. If ${tenant} still can’t use it tomorrow, please contact them.`,
  }
}

const moveWords: Record<WhoseMove, (names: Names) => string> = {
  user: () => 'What you can do',
  tenant: ({ tenant }) => `Waiting for ${tenant}`,
  support: () => 'We’re on it',
  operator: () => 'We’re on it',
  provider: ({ app }) => `Waiting for ${app}`,
  platform: () => 'We’re on it',
}

export const causeForUser = (cause: Cause, names: Names) => ({
  ...userWords[cause](names),
  move: moveWords[causes[cause].whoseMove](names),
})

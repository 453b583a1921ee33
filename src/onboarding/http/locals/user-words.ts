// Causes as the person reads them whose account it is: they know the app and the product that sent them, and no more.
import { type Cause, causes, type WhoseMove } from '../../domain/cause.ts'

/** `app`: what is linked. `tenant`: the product that asked for it. Both by the names that people know. */
export type Names = { app: string; tenant: string }

type Words = { title: string; userAdvice: string }

/** The causes' own advice is for whoever runs the tenant's product, who can do more about them. */
const userWords: Record<Cause, (names: Names) => Words> = {
  consent_denied: ({ app }) => ({
    title: 'Access was not allowed',
    userAdvice: `Nothing was changed. If that was a mistake, start again and choose to allow access when ${app} asks.`,
  }),
  consent_failed: ({ app, tenant }) => ({
    title: `${app} could not ask you`,
    userAdvice: `${app} reported a problem of its own, and nothing was changed. Start again in a few minutes. If it goes on, there is nothing you can do here: tell ${tenant}.`,
  }),
  session_expired: ({ tenant }) => ({
    title: 'This was not finished in time',
    userAdvice: `Nothing was changed. Start again from the address you were sent, or from ${tenant}.`,
  }),
  session_cancelled: ({ tenant }) => ({
    title: 'This was withdrawn',
    userAdvice: `You are no longer asked for it, and there is nothing you can do here. If you still want it, ask ${tenant} for a new address.`,
  }),
  completion_missing: ({ tenant }) => ({
    title: `${tenant} did not confirm it`,
    userAdvice: `${tenant} did not say in time that it was you who came back, so nothing was linked. There is nothing you can do here: start again from ${tenant}, and tell them if it happens once more.`,
  }),
  completion_refused: ({ tenant }) => ({
    title: `${tenant} could not confirm it`,
    userAdvice: `${tenant} could not show that it was you who came back, so nothing was linked. There is nothing you can do here: tell ${tenant}, and start again from there when they have mended it.`,
  }),
  callback_rejected: ({ tenant }) => ({
    title: 'An answer came back that we cannot trust',
    userAdvice: `To be safe, nothing was linked. Start again from where you came from. If it happens once more, there is nothing you can do here: tell ${tenant}.`,
  }),
  code_refused: ({ app }) => ({
    title: `${app} has to be asked again`,
    userAdvice: `What you allowed could not be used any more, most likely because it took too long on the way. Nothing was linked: start again.`,
  }),
  client_rejected: ({ app, tenant }) => ({
    title: `${app} turned us away`,
    userAdvice: `How this service is registered with ${app} is wrong or was changed. There is nothing you can do here: tell ${tenant}. When it is put right you can start again.`,
  }),
  provider_unavailable: ({ app, tenant }) => ({
    title: `${app} did not answer`,
    userAdvice: `It seems to be down or very busy. Start again in a few minutes. If it goes on, there is nothing you can do here: tell ${tenant}.`,
  }),
  answer_malformed: ({ app, tenant }) => ({
    title: `${app} sent an answer we cannot read`,
    userAdvice: `Nothing was linked, and there is nothing you can do here: tell ${tenant}. Somebody has to look at what ${app} sent before you start again.`,
  }),
  identity_invalid: ({ app, tenant }) => ({
    title: `${app} did not show which account this is`,
    userAdvice: `So nothing was linked. Start again. If it happens once more, there is nothing you can do here: tell ${tenant}.`,
  }),
  no_refresh_token: ({ app }) => ({
    title: `${app} allowed it only for now`,
    userAdvice: `It has to last while you are away. In your settings at ${app}, find the apps you have connected and remove this one, then start again.`,
  }),
  scope_missing: () => ({
    title: 'Not everything was allowed',
    userAdvice: 'Nothing was changed. Start again and leave every permission ticked.',
  }),
  account_mismatch: ({ app }) => ({
    title: 'That was another account',
    userAdvice: `Nothing was changed. Start again, and sign in at ${app} with the account that was linked before.`,
  }),
  grant_unusable: ({ app, tenant }) => ({
    title: `${app} allowed it, and then refused it`,
    userAdvice: `What you allowed was tried and did not work. Everything is as it was before: start again, and tell ${tenant} if it happens once more.`,
  }),
  relink_rolled_back: ({ tenant }) => ({
    title: 'The new access did not work',
    userAdvice: `Everything was put back as it was. There is nothing you can do here: tell ${tenant}. Somebody finds out why, and then you are asked again.`,
  }),
  grant_revoked: ({ app }) => ({
    title: 'Access was withdrawn',
    userAdvice: `${app} no longer accepts what you allowed: it was taken back or has run out. Start again, and allow it once more.`,
  }),
  connection_gone: ({ app, tenant }) => ({
    title: 'This was disconnected',
    userAdvice: `It was removed in the meantime, so there is nothing you can do here. If you still want it, connect ${app} anew from ${tenant}.`,
  }),
  connection_busy: () => ({
    title: 'Somebody is at it already',
    userAdvice:
      'Something else is being done with it, and there is nothing you can do here. We go on when that has ended.',
  }),
  exchange_unknown: ({ app }) => ({
    title: `We do not know what ${app} decided`,
    userAdvice: `${app} took our question and never answered. Nothing was linked: start again.`,
  }),
  platform_unavailable: ({ tenant }) => ({
    title: 'This takes longer than usual',
    userAdvice: `There is nothing you can do here: what you allowed is kept safe, and we keep trying without you. If ${tenant} cannot use it tomorrow, tell them.`,
  }),
  platform_refused: couldNotBeSetUp,
  name_taken: couldNotBeSetUp,
  worker_crashed: couldNotBeSetUp,
  function_failed: couldNotBeSetUp,
  integration_removed: ({ app, tenant }) => ({
    title: `${app} can no longer be linked here`,
    userAdvice: `It was taken away, for a while or for good. There is nothing you can do here: tell ${tenant}. When it is back, you are asked again if that is still needed.`,
  }),
}

/** What exactly it was is for support to know. */
function couldNotBeSetUp({ app, tenant }: Names): Words {
  return {
    title: 'This could not be set up',
    userAdvice: `${app} allowed it, but it could not be made to work here. There is nothing you can do: somebody looks at it, and what you allowed is kept safe until then. If ${tenant} cannot use it tomorrow, tell them.`,
  }
}

const moveWords: Record<WhoseMove, (names: Names) => string> = {
  user: () => 'Your move',
  tenant: ({ tenant }) => `${tenant}’s move`,
  support: () => 'Our move',
  provider: ({ app }) => `${app}’s move`,
  platform: () => 'Our move',
}

export const causeForUser = (cause: Cause, names: Names) => ({
  ...userWords[cause](names),
  move: moveWords[causes[cause].whoseMove](names),
})

// Acme's texts for its users. Causeway's texts of causes are for the people who run Acme.

export type WhoseMove = 'user' | 'tenant' | 'support' | 'operator' | 'provider' | 'platform'

export type CauseWords = { title: string; advice: string; move: string; tryAgain: boolean }

export function causeForUser({ code, whoseMove }: { code: string; whoseMove: WhoseMove }, app: string): CauseWords {
  const move = moves(app)[whoseMove]
  return { ...move, ...ownWords(app)[code] }
}

/** Texts for codes that Acme doesn't know, by whose move it is. */
const moves = (app: string): Record<WhoseMove, CauseWords> => ({
  user: {
    title: `${app} has to ask you again`,
    advice: `Try again, and allow access when ${app} asks.`,
    move: 'What you can do',
    tryAgain: true,
  },
  tenant: { ...ours(app), tryAgain: true },
  support: ours(app),
  operator: ours(app),
  provider: {
    title: `${app} isn’t responding as it should`,
    advice: 'Try again in a few minutes.',
    move: `Waiting for ${app}`,
    tryAgain: true,
  },
  platform: ours(app),
})

const ours = (app: string): CauseWords => ({
  title: `We couldn’t connect to ${app}`,
  advice: 'It’s a problem on our side, and you don’t need to do anything. Please come back later.',
  move: 'We’re on it',
  tryAgain: false,
})

const ownWords = (app: string): Record<string, Pick<CauseWords, 'title' | 'advice'>> => ({
  user_cancelled: {
    title: 'You cancelled',
    advice: `Nothing was shared with Acme. You can connect ${app} at any time.`,
  },
  consent_denied: {
    title: 'Access was declined',
    advice: `Nothing was changed. To connect after all, try again and allow access when ${app} asks.`,
  },
  session_expired: { title: 'This took too long', advice: 'Nothing was changed. Please try again.' },
  callback_missing: { title: 'You didn’t come back from the app', advice: 'Nothing was changed. Please try again.' },
  no_refresh_token: {
    title: `${app} granted temporary access only`,
    advice: `Acme needs access that lasts. In your ${app} settings, remove Acme from your connected apps, then try again.`,
  },
  scope_missing: {
    title: 'Some permissions are missing',
    advice: 'Nothing was changed. Try again and leave every permission selected.',
  },
  scope_insufficient: {
    title: `${app} needs more permissions`,
    advice: `What you allowed no longer covers everything. Reconnect and allow what ${app} asks for.`,
  },
  account_mismatch: {
    title: 'You signed in with a different account',
    advice: `Nothing was changed. Try again with the ${app} account you connected before.`,
  },
  already_connected: {
    title: 'This account is already connected',
    advice: `Nothing was changed. To connect a different ${app} account, try again and sign in with that one.`,
  },
  admin_approval_needed: {
    title: 'Your administrator has to approve this',
    advice: `Your organization decides which services may access ${app}. Ask your administrator to approve Acme, then try again.`,
  },
  grant_revoked: {
    title: 'Access was revoked',
    advice: `${app} no longer accepts the permission you gave: it was revoked or has expired. Reconnect to restore access.`,
  },
})

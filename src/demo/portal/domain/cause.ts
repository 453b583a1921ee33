// Causeway's `causeForUser` is the text for users. Acme adds whose move it is.

type WhoseMove = 'user' | 'tenant' | 'support' | 'operator' | 'provider' | 'platform'

type CauseWords = { title: string; advice: string; move: string; tryAgain: boolean }

type Explained = {
  cause?: { whoseMove: WhoseMove } | null | undefined
  causeForUser?: Pick<CauseWords, 'title' | 'advice'> | undefined
}

export const wordsForUser = ({ cause, causeForUser }: Explained, app: string): CauseWords | undefined =>
  cause ? { ...moves(app)[cause.whoseMove], ...causeForUser } : undefined

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

export type WhoseMove = 'user' | 'tenant' | 'support' | 'operator' | 'provider' | 'platform'

export type Move = { title: string; tryAgain: boolean }

/** Who has to do something now, in words for Acme's user, and whether starting again can help. */
export const moveOf = (whose: WhoseMove, app: string): Move => moves(app)[whose]

const moves = (app: string): Record<WhoseMove, Move> => ({
  user: { title: 'What you can do', tryAgain: true },
  tenant: { title: 'We’re on it', tryAgain: true },
  support: { title: 'We’re on it', tryAgain: false },
  operator: { title: 'We’re on it', tryAgain: false },
  provider: { title: `Waiting for ${app}`, tryAgain: true },
  platform: { title: 'We’re on it', tryAgain: false },
})

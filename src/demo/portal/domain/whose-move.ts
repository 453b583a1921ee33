export type WhoseMove = 'user' | 'tenant' | 'support' | 'provider' | 'platform'

export type Move = { title: string; tryAgain: boolean }

/** Who has to do something now, in words for Acme's user, and whether starting again can help. */
export const moveOf = (whose: WhoseMove, app: string): Move => moves(app)[whose]

const moves = (app: string): Record<WhoseMove, Move> => ({
  user: { title: 'Your move', tryAgain: true },
  tenant: { title: "Acme's move: our team has to put this right", tryAgain: true },
  support: { title: "Support's move: nothing to do for you", tryAgain: false },
  provider: { title: `${app}'s move: wait a little, then try again`, tryAgain: true },
  platform: { title: 'Our move: this goes on by itself', tryAgain: false },
})

import { createHash, randomBytes } from 'node:crypto'

/** Kept in the session of the user who starts; its hash goes to Causeway. Only that user's session can finish. */
export function newCompletion(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export type Step = { title: string; state: 'done' | 'current' | 'waiting' }

/** How far each step of a link has come, as Causeway tells it. */
export type Progress = ReadonlyArray<{ step: string; status: string }>

/** The same in words for Acme's user. A step that Acme does not know yet is left out. */
export function stepsOf(progress: Progress, app: string): Step[] {
  const titles: Record<string, string> = {
    consent: 'You gave permission',
    exchange: `${app} confirmed access`,
    connection: 'Connection created',
    function: 'Function created',
    verification: 'Function tested',
  }
  return progress.flatMap(({ step, status }) => {
    const title = titles[step]
    return title === undefined ? [] : [{ title, state: stateOf(status) }]
  })
}

const stateOf = (status: string): Step['state'] => {
  if (status === 'done') return 'done'
  return status === 'waiting' ? 'waiting' : 'current'
}

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

import { createHash, randomBytes } from 'node:crypto'

/** As long as somebody stays signed in to Acme, and what they started can be finished. */
export const sessionSeconds = 8 * 3_600

/** Kept for the session of the user who starts; its hash goes to Causeway. Only that user's session can finish. */
export function newCompletion(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export type Step = { title: string; state: 'done' | 'current' | 'waiting' }

/** How far each step of a link has come, as Causeway tells it. */
export type Progress = ReadonlyArray<{ step: string; status: string }>

/**
 * The same in words for Acme's user, who reads of a step as done only once it is. A step that Acme does not know yet is
 * left out.
 */
export function stepsOf(progress: Progress, app: string): Step[] {
  const titles: Record<string, { done: string; ahead: string }> = {
    consent: { done: 'You gave permission', ahead: 'You give permission' },
    exchange: { done: `${app} confirmed access`, ahead: `Confirm access with ${app}` },
    connection: { done: 'Connection created', ahead: 'Create the connection' },
    function: { done: 'Function created', ahead: 'Create the function' },
    verification: { done: 'Function tested', ahead: 'Test the function' },
  }
  return progress.flatMap(({ step, status }) => {
    const state = stateOf(status)
    const title = titles[step]?.[state === 'done' ? 'done' : 'ahead']
    return title === undefined ? [] : [{ title, state }]
  })
}

const stateOf = (status: string): Step['state'] => {
  if (status === 'done') return 'done'
  return status === 'waiting' ? 'waiting' : 'current'
}

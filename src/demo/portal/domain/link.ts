import { createHash, randomBytes } from 'node:crypto'

/** Lifetime of a sign-in to Acme, and of the links started in it. */
export const sessionSeconds = 8 * 3_600

/** The verifier stays in the user's session, and Causeway gets its hash: only that session can complete the link. */
export function newCompletion(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

type Step = { title: string; state: 'done' | 'current' | 'waiting' }

type Progress = ReadonlyArray<{ step: string; status: string }>

/** Omits steps that Acme doesn't know. */
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

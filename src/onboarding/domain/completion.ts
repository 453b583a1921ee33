import { Failure } from './failure.ts'
import type { LinkState } from './link.ts'

/** After this many wrong proofs the link is void: somebody is guessing. */
export const mostWrongCompletions = 5

/** Says why a link in this state cannot be completed, or nothing when it can. */
export function completionRefusal(state: LinkState | undefined): Failure | undefined {
  switch (state) {
    case 'code_waiting':
      return undefined
    case undefined:
    case 'authorizing':
      return new Failure('completion_early', 'The browser has not come back from the app yet.')
    case 'denied':
    case 'abandoned':
    case 'failed':
      return new Failure('completion_late', 'This link has ended. Read it to see why, and start a new one.')
    default:
      return completionUsed()
  }
}

export const completionUsed = () =>
  new Failure('completion_used', 'This link was already completed. Read it to see how it went.')

// Work of several steps, each of which can be repeated: any process carries on from the step that is written down.
import type { Cause } from '../../domain/cause.ts'

/** The work at its next step, or what it has to wait for. `lost`: another worker has it now. */
export type StepOutcome<Work> = { next: Work } | { wait: Cause | undefined } | 'lost'

export const movedTo = <Work>(next: Work | undefined): StepOutcome<Work> => (next ? { next } : 'lost')

export const waiting: StepOutcome<never> = { wait: undefined }

export type SteppedWork<Work extends { step: string; stepAgeSeconds: number }> = {
  /** Undefined when it is done. */
  takeStep(work: Work): Promise<StepOutcome<Work>> | undefined
  postpone(work: Work, seconds: number, cause: Cause | undefined): Promise<void>
  claimDue(limit: number): Promise<Work[]>
  /** Before it is looked at again the first time. */
  shortestWaitSeconds: number
}

const longestWaitSeconds = 60 * 60

/** The longer a step takes, the more seldom it is looked at: a provider or a platform may be away for days. */
const waitSeconds = (stepAgeSeconds: number, shortest: number) =>
  Math.min(Math.max(stepAgeSeconds / 10, shortest), longestWaitSeconds)

export const workThrough =
  <Work extends { step: string; stepAgeSeconds: number }>(steps: SteppedWork<Work>) =>
  async (work: Work): Promise<void> => {
    let at = work
    for (let step = steps.takeStep(at); step; step = steps.takeStep(at)) {
      const outcome = await step
      if (outcome === 'lost') return
      if ('wait' in outcome) {
        return steps.postpone(at, waitSeconds(at.stepAgeSeconds, steps.shortestWaitSeconds), outcome.wait)
      }
      at = outcome.next
    }
  }

/** Continues work that is due. One that fails does not hold up the rest. */
export const resumeDue =
  <Work extends { step: string; stepAgeSeconds: number }>(steps: SteppedWork<Work>) =>
  async (): Promise<number> => {
    const due = await steps.claimDue(10)
    const resumed = await Promise.allSettled(due.map(workThrough(steps)))
    const broken = resumed.find(({ status }) => status === 'rejected')
    if (broken) throw (broken as PromiseRejectedResult).reason // its lease expires, and it is claimed again
    return due.length
  }

// Durable work in idempotent steps. Any process can continue from the stored step.
import type { Cause } from '../../domain/cause.ts'

/** `lost`: another worker has the work now. */
export type StepOutcome<Work> = { next: Work } | { wait: Cause | undefined } | 'lost'

export const movedTo = <Work>(next: Work | undefined): StepOutcome<Work> => (next ? { next } : 'lost')

export const waiting: StepOutcome<never> = { wait: undefined }

export type SteppedWork<Work extends { step: string; stepAgeSeconds: number }> = {
  takeStep(work: Work): Promise<StepOutcome<Work>> | undefined
  postpone(work: Work, seconds: number, cause: Cause | undefined): Promise<void>
  claimDue(limit: number): Promise<Work[]>
  minWaitSeconds: number
}

const maxWaitSeconds = 60 * 60

/** Backs off with the age of the step: a provider or platform may be down for days. */
const waitSeconds = (stepAgeSeconds: number, min: number) =>
  Math.min(Math.max(stepAgeSeconds / 10, min), maxWaitSeconds)

export async function workThrough<Work extends { step: string; stepAgeSeconds: number }>(
  steps: SteppedWork<Work>,
  work: Work,
): Promise<void> {
  let at = work
  for (let step = steps.takeStep(at); step; step = steps.takeStep(at)) {
    const outcome = await step
    if (outcome === 'lost') return
    if ('wait' in outcome) {
      return steps.postpone(at, waitSeconds(at.stepAgeSeconds, steps.minWaitSeconds), outcome.wait)
    }
    at = outcome.next
  }
}

export async function resumeDue<Work extends { step: string; stepAgeSeconds: number }>(
  steps: SteppedWork<Work>,
): Promise<number> {
  const due = await steps.claimDue(10)
  const resumed = await Promise.allSettled(due.map((work) => workThrough(steps, work)))
  const broken = resumed.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // claimed again after its lease
  return due.length
}

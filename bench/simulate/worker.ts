// Runs the schedules of one share of the seeds, and reports each broken promise to its parent.
import { simulate } from '../../test/support/simulation/simulate.ts'

export type Share = { from: number; to: number; step: number; untilBroken: boolean }
export type Report = { done: number; turns: number; broken: Array<{ seed: number; violations: string[] }> }

const reportEvery = 100

process.once('message', async ({ from, to, step, untilBroken }: Share) => {
  let report: Report = { done: 0, turns: 0, broken: [] }
  const send = () => {
    process.send?.(report)
    report = { done: 0, turns: 0, broken: [] }
  }
  for (let seed = from; seed < to; seed += step) {
    const { violations, trace } = await simulate(seed)
    report.done++
    report.turns += trace.length
    if (violations.length > 0) report.broken.push({ seed, violations })
    if (untilBroken && violations.length > 0) break
    if (report.done === reportEvery) send()
  }
  send()
  process.disconnect()
})

import { latestDue, parseSchedule } from '../domain/cron.ts'
import type { Job } from '../domain/execution.ts'
import type { Executions, Jobs } from '../domain/ports.ts'
import type { StartExecution } from './start-execution.ts'

type Needs = {
  jobs: Pick<Jobs, 'withSchedules'>
  executions: Pick<Executions, 'claimFire'>
  startExecution: StartExecution
  now: () => Date
}

/** What was due while no process ran is made good for this long, and once, however often it was due. */
const lookBackMs = 10 * 60_000

/** Starts what the clock says; every process looks, and the first to write a fire down starts it. */
export const fireTriggers =
  ({ jobs, executions, startExecution, now }: Needs) =>
  async (): Promise<void> => {
    for (const job of await jobs.withSchedules()) {
      for (const [trigger, { type, enabled, configuration }] of job.triggers.entries()) {
        const due = type === 'cron' && enabled && dueSince(job, configuration.schedule ?? '', now())
        if (!due || !(await executions.claimFire(job.uid, trigger, due))) continue
        const tasks = (configuration.tasks ?? [{}]) as Array<Record<string, never>>
        await startExecution(job.workspace, job.name, { tasks })
      }
    }
  }

/** Not before the job had its present form: a new schedule says nothing about the past. */
function dueSince({ updatedAt }: Job, schedule: string, now: Date): Date | undefined {
  const parsed = parseSchedule(schedule)
  const from = new Date(Math.max(updatedAt.getTime(), now.getTime() - lookBackMs))
  return parsed && latestDue(parsed, from, now)
}

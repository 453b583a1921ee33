import { LRUCache } from 'lru-cache'
import type { ExecutionInput } from '../../../contract/control-plane/execution.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { scheduler } from '../../shared/domain/audit.ts'
import type { Trigger } from '../../shared/domain/callback.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { latestDue, parseSchedule, type Schedule } from '../domain/cron.ts'
import type { Job } from '../domain/execution.ts'
import type { Executions, Jobs } from '../domain/ports.ts'
import type { StartExecution } from './start-execution.ts'

type Needs = {
  jobs: Pick<Jobs, 'withSchedules'>
  executions: Pick<Executions, 'hasFired' | 'noteFire'>
  startExecution: StartExecution
  log: Log
  now: () => Date
}

/** What was due while no process ran is made good for this long, and once, however often it was due. */
const lookBackMs = 10 * 60_000

/** Starts what the clock says. Every process looks; a job that cannot be started keeps none of the others waiting. */
export const fireTriggers = (needs: Needs): (() => Promise<void>) => {
  const scheduleOf = rememberedSchedules()
  return async () => {
    for (const job of await needs.jobs.withSchedules()) {
      for (const due of dueTriggers(job)) {
        await fire(needs, job, due).catch((error) =>
          needs.log.warn('a trigger could not be fired', { code: describeError(error) }),
        )
      }
    }
  }

  function dueTriggers(job: Job): Fire[] {
    return job.triggers.flatMap((trigger, at) => {
      const { type, enabled, configuration } = trigger
      const schedule = type === 'cron' && enabled ? scheduleOf(configuration.schedule ?? '') : undefined
      const due = schedule && dueSince(job, schedule, needs.now())
      return due ? [{ at, trigger, due }] : []
    })
  }
}

/** Reading a schedule takes five times as long as asking it, and every job is asked every few seconds. */
function rememberedSchedules(): (text: string) => Schedule | undefined {
  const known = new LRUCache<string, { schedule: Schedule | undefined }>({ max: 10_000 })
  return (text) => {
    const found = known.get(text) ?? { schedule: parseSchedule(text) }
    known.set(text, found)
    return found.schedule
  }
}

type Fire = { at: number; trigger: Trigger; due: Date }

/**
 * The id is made of what is due, so that of all who come to this one starts an execution. It is written down
 * afterwards: if this process dies in between, the next one finds the execution and starts no second one.
 */
async function fire({ executions, startExecution }: Needs, { uid, workspace, name }: Job, { at, trigger, due }: Fire) {
  if (await executions.hasFired(uid, at, due)) return
  const id = `cron-${at}-${due.toISOString().replace(/\D/g, '').slice(0, 12)}`
  const { tasks = [] } = trigger.configuration
  const input = { id, tasks: (tasks.length > 0 ? tasks : [{}]) as ExecutionInput['tasks'] }
  await startExecution(workspace, name, { input, by: scheduler, triggers: [trigger] }).catch(ignoreNameTaken)
  await executions.noteFire(uid, at, due)
}

/** Somebody took the id for other tasks: that stays so, however often it is tried. */
function ignoreNameTaken(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'name_taken') throw error
}

/** Not before the job had its present form: a new schedule says nothing about the past. */
function dueSince({ updatedAt }: Job, schedule: Schedule, now: Date): Date | undefined {
  const from = new Date(Math.max(updatedAt.getTime(), now.getTime() - lookBackMs))
  return latestDue(schedule, from, now)
}

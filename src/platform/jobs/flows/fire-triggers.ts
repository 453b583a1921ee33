import type { ExecutionInput } from '../../../contract/control-plane/execution.ts'
import type { Log } from '../../../kit/process/log.ts'
import { scheduler } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type Fire, fireDue, minuteOf } from '../../shared/flows/fire-due.ts'
import type { Job } from '../domain/execution.ts'
import type { Executions, Jobs } from '../domain/ports.ts'
import type { StartExecution } from './start-execution.ts'

type Needs = {
  jobs: Pick<Jobs, 'withSchedules'>
  executions: Pick<Executions, 'hasFired' | 'noteFire'>
  startExecution: StartExecution
  log: Log<'trigger.failed'>
  now: () => Date
}

export const fireTriggers = (needs: Needs): (() => Promise<void>) =>
  fireDue({ ...needs, withSchedules: needs.jobs.withSchedules, fire: (job: Job, due) => fire(needs, job, due) })

/**
 * The id is made of what is due, so that of all who come to this one starts an execution. It is written down
 * afterwards: if this process dies in between, the next one finds the execution and starts no second one.
 */
async function fire({ executions, startExecution }: Needs, { uid, workspace, name }: Job, { at, trigger, due }: Fire) {
  if (await executions.hasFired(uid, at, due)) return
  const { tasks = [] } = trigger.configuration
  const input = {
    id: `cron-${at}-${minuteOf(due)}`,
    tasks: (tasks.length > 0 ? tasks : [{}]) as ExecutionInput['tasks'],
  }
  await startExecution(workspace, name, { input, by: scheduler, triggers: [trigger] }).catch(ignoreNameTaken)
  await executions.noteFire(uid, at, due)
}

/** Somebody took the id for other tasks: that stays so, however often it is tried. */
function ignoreNameTaken(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'name_taken') throw error
}

import type { ExecutionInput } from '../../../contract/control-plane/execution.ts'
import type { Log } from '../../../kit/process/log.ts'
import { scheduler } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type Fire, fireDue, minuteOf } from '../../shared/flows/fire-due.ts'
import type { Job } from '../domain/execution.ts'
import type { Executions, Jobs } from '../domain/ports.ts'
import { startExecution } from './start-execution.ts'

type Needs = {
  jobs: Omit<Jobs, 'noteCallback'>
  executions: Pick<Executions, 'add' | 'find' | 'hasTasks' | 'hasFired' | 'noteFire'>
  log: Log<'trigger.failed'>
  now: () => Date
}

export const fireTriggers = (needs: Needs): (() => Promise<void>) =>
  fireDue({ ...needs, withSchedules: needs.jobs.withSchedules, fire: (job: Job, due) => fire(needs, job, due) })

/** The fire is recorded afterwards: after a crash, the next process finds the execution by its derived ID. */
async function fire(ports: Needs, { uid, workspace, name }: Job, { at, trigger, due }: Fire) {
  if (await ports.executions.hasFired(uid, at, due)) return
  const { tasks = [] } = trigger.configuration
  const input = {
    id: `cron-${at}-${minuteOf(due)}`,
    tasks: (tasks.length > 0 ? tasks : [{}]) as ExecutionInput['tasks'],
  }
  await startExecution(ports, workspace, name, { input, by: scheduler, triggers: [trigger] }).catch(ignoreNameTaken)
  await ports.executions.noteFire(uid, at, due)
}

/** The ID is used by other tasks, so a retry would fail again. */
function ignoreNameTaken(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'name_taken') throw error
}

import type { AccountUser } from '../../shared/domain/account-door.ts'
import type { Jobs, LeasedTask } from '../domain/ports.ts'

/** The spec is read again, because a task may run for days. */
export const accountUser = (
  { jobs }: { jobs: Pick<Jobs, 'find'> },
  { jobUid, job, workspace, timeoutSeconds }: LeasedTask,
): AccountUser => ({
  kind: 'job',
  id: jobUid,
  name: job,
  workspace,
  lifeSeconds: timeoutSeconds,
  async functions() {
    const found = await jobs.find(workspace, job)
    return found?.uid === jobUid ? found.functions : []
  },
})

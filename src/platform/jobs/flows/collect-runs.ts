import type { Containers } from '../../shared/domain/engine.ts'
import { workOnEach } from '../../shared/flows/work-on-each.ts'
import type { TaskQueue } from '../domain/ports.ts'

/** Removes containers of tasks that no worker leases, because their process died or could not remove them. */
export const collectRuns = (containers: Containers, queue: Pick<TaskQueue, 'leased'>) => async (): Promise<void> => {
  // List containers first: a task is leased before its container is created.
  const runs = (await containers.list()).filter(({ kind }) => kind === 'run')
  if (runs.length === 0) return
  const leased = await queue.leased()
  const [failure] = await workOnEach(
    runs.filter(({ id }) => !leased.has(id)),
    (run) => containers.remove(run),
  )
  if (failure !== undefined) throw failure
}

import { randomUUID } from 'node:crypto'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { secretHider } from '../../shared/domain/hidden-secrets.ts'
import { gigabyteSeconds, type UsageEvent } from '../../shared/domain/usage.ts'
import {
  type Executions,
  type LeasedTask,
  type RunTask,
  type TaskEnd,
  type TaskQueue,
  taskKey,
} from '../domain/ports.ts'

type Needs = {
  queue: TaskQueue
  executions: Pick<Executions, 'settle'>
  runTask: RunTask
  log: Log<'task.abandoned' | 'tasks.unclaimed'>
  now: () => Date
}

const gatherMs = 10

/** `perWorkspace` keeps long tasks from blocking other workspaces. */
type WorkerLimits = { atATime: number; perWorkspace: number }

/** `take` fills the free slots. `tend` renews leases, stops tasks that lost theirs, and ends leases of dead workers. */
export function startWorker(needs: Needs, { atATime, perWorkspace }: WorkerLimits) {
  const id = randomUUID()
  const running = new Map<string, { task: LeasedTask; stop: AbortController; done: Promise<void> }>()
  let stopped = false

  const run = (task: LeasedTask) => {
    const key = taskKey(task)
    const stop = new AbortController()
    const done = perform(needs, id, task, stop.signal)
      .catch((error) => needs.log('task.abandoned', { code: describeError(error) }))
      .finally(() => {
        running.delete(key)
        takeSoon()
      })
    running.set(key, { task, stop, done })
  }

  // One claim fills all slots that become free within a few milliseconds: it costs the same for many tasks as for one.
  let soon: NodeJS.Timeout | undefined
  const takeSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined
      take().catch((error) => needs.log('tasks.unclaimed', { code: describeError(error) }))
    }, gatherMs)
  }

  let taking: Promise<void> | undefined
  const take = (): Promise<void> => {
    taking ??= takeAll().finally(() => {
      taking = undefined
    })
    return taking
  }
  const takeAll = async () => {
    while (!stopped && running.size < atATime) {
      const room = { total: atATime - running.size, perWorkspace, running: countsByWorkspace(running.values()) }
      const claimed = await needs.queue.claim(id, room)
      for (const task of claimed) run(task)
      if (claimed.length === 0) return
    }
  }

  return {
    take,
    async tend() {
      // Only running tasks: if a result could not be stored, the lease must expire.
      const inHand = [...running]
      const renewed = await needs.queue.renew(
        id,
        inHand.map(([, { task }]) => task),
      )
      for (const [key, { stop }] of inHand) if (!renewed.has(key)) stop.abort()
      await needs.queue.reap()
      await needs.executions.settle()
    },
    async stop() {
      stopped = true
      clearTimeout(soon)
      for (const { stop } of running.values()) stop.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}

function countsByWorkspace(running: Iterable<{ task: LeasedTask }>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { task } of running) counts.set(task.workspace, (counts.get(task.workspace) ?? 0) + 1)
  return counts
}

/** A late result is dropped by the queue and not billed, because another worker has the task. */
async function perform({ queue, runTask, now }: Needs, worker: string, task: LeasedTask, signal: AbortSignal) {
  const startedAt = now()
  const end = await runTask(task, signal)
  await queue.finish(worker, task, withoutSecrets(end, task), usedBy(task, startedAt, now()))
}

/** Members who may not read the job's secrets can read the output of its tasks. */
function withoutSecrets(end: TaskEnd, { secrets }: LeasedTask): TaskEnd {
  const { env, secretNames } = secrets.reveal()
  return { ...end, output: secretHider(secretNames.map((name) => env[name] ?? ''))(end.output) }
}

const usedBy = (task: LeasedTask, startedAt: Date, endedAt: Date): UsageEvent => ({
  eventId: `task-${taskKey(task)}`,
  workspace: task.workspace,
  resourceType: 'job',
  resourceName: task.job,
  resourceUuid: task.jobUid,
  dimension: 'job_compute_runtime_gbs',
  quantity: gigabyteSeconds(task.memoryMb, startedAt, endedAt),
  startedAt,
  endedAt,
})

import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { backoffInterval } from '../../../kit/database/queue.ts'
import { execute, prepared, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { readableOrLost, SealedUnreadable } from '../../shared/domain/failure.ts'
import { insertUsage, toRow, usageIn } from '../../shared/postgres/usage-events.ts'
import { type LeasedTask, runId, type TaskQueue, taskKey, type WorkerRoom } from '../domain/ports.ts'
import { isStartable, openSecrets } from './executions.ts'

/** A worker that is silent for this long counts as dead. Leases are renewed every second. */
const leaseSeconds = 12

/** Uses the database's time, because the clocks of workers may differ. */
export function postgresTaskQueue(pool: pg.Pool, box: SealedBox): TaskQueue {
  return {
    claim: (worker, room) =>
      inTransaction(pool, async (client) => {
        const execution = await row(client, ExecutionRow, nextExecution(fullWorkspaces(room)))
        if (!execution) return []
        const secrets = openOrWait(box, execution)
        // Skipped, so that a process with the key takes it.
        if (secrets === 'later') return []
        if (!secrets) return failWaiting(client, execution.uid)
        // A separate statement, so that it sees the claims of workers that held the lock before.
        const claimed = await rows(
          client,
          ClaimedRow,
          claimTasks(execution.uid, worker, roomFor(execution.workspace, room)),
        )
        return claimed.map((task) => toTask(execution, secrets, task))
      }),

    async renew(worker, tasks) {
      if (tasks.length === 0) return new Set()
      const [executions, indexes] = [tasks.map(({ execution }) => execution), tasks.map(({ index }) => index)]
      const renewed = await rows(
        pool,
        LeaseRow,
        sql`update tasks set leased_until = now() + make_interval(secs => ${leaseSeconds})
          where (execution, index) in (select * from unnest(${executions}::text[], ${indexes}::int[]))
            and leased_by = ${worker} and state = 'running' returning execution, index, attempts as attempt`,
      )
      return new Set(renewed.map(taskKey))
    },

    async finish(worker, { execution, index, attempt }, { state, reason, output }, used) {
      const usage = usageIn(JSON.stringify([toRow(used)]))
      const statement = sql`
        with finished as (
          update tasks set ${retryOr(sql`${state}::text`)}, reason = ${reason}, output = ${output}
          where execution = ${execution} and index = ${index} and leased_by = ${worker} and attempts = ${attempt}
            and state = 'running' returning true)
        ${insertUsage(sql`(select used.* from ${usage} used, finished)`)}`
      await execute(pool, prepared(statement))
    },

    async leased() {
      const leased = await rows(
        pool,
        LeaseRow,
        sql`select execution, index, attempts as attempt from tasks where state = 'running' and leased_until > now()`,
      )
      return new Set(leased.map(runId))
    },

    async reap() {
      await execute(
        pool,
        sql`update tasks set ${retryOr(sql`'failed'`)}, reason = 'The worker was lost.'
          where state = 'running' and leased_until < now()`,
      )
    },
  }
}

const fullWorkspaces = ({ perWorkspace, running }: WorkerRoom): string[] =>
  [...running].filter(([, count]) => count >= perWorkspace).map(([workspace]) => workspace)

const roomFor = (workspace: string, { total, perWorkspace, running }: WorkerRoom): number =>
  Math.min(total, perWorkspace - (running.get(workspace) ?? 0))

/** Executions take turns. One at its parallelism limit is skipped, and full workspaces wait. */
const nextExecution = (full: string[]): Sql => sql`
  update executions set claimed_at = clock_timestamp(),
    status = case status when 'queued' then 'running' else status end, started_at = coalesce(started_at, now()),
    updated_at = case status when 'queued' then now() else updated_at end
  where uid = (
    select uid from executions e where ${isStartable} and workspace <> all(${full}::text[])
      and exists (select from tasks where execution = e.uid and state = 'pending' and not_before <= now())
    order by claimed_at for update skip locked limit 1)
  returning uid, id, workspace, job, job_uid as "jobUid", image, memory_mb as "memoryMb",
    timeout_seconds as "timeoutSeconds", sealed`

// Materialized, because a plain subquery may run once per joined row and so exceed its limit.
const claimTasks = (execution: string, worker: string, room: number): Sql => sql`
  with picked as materialized (
    select index from tasks where execution = ${execution} and state = 'pending' and not_before <= now()
    order by not_before, index for update skip locked
    limit greatest(0, least(${room}::bigint, (select parallelism from executions where uid = ${execution})
      - (select count(*) from tasks where execution = ${execution} and state = 'running'))))
  update tasks set state = 'running', attempts = attempts + 1, leased_by = ${worker},
    leased_until = now() + make_interval(secs => ${leaseSeconds}), scheduled_at = coalesce(scheduled_at, now()),
    started_at = now(), updated_at = now()
  from picked where tasks.execution = ${execution} and tasks.index = picked.index
  returning tasks.index, attempts as attempt, arguments`

/** Schedules the next attempt, or ends the task with the given state. A cancelled task is not retried. */
const retryOr = (state: Sql): Sql => sql`
  state = case
    when ${isLast(state)} then ${state}
    when ${isCancelling} then 'cancelled'
    else 'pending' end,
  completed_at = case when ${isLast(state)} or ${isCancelling} then now() end,
  not_before = now() + ${backoffInterval(sql`attempts - 1`, { firstSeconds: 0.1, maxSeconds: 30 })},
  leased_by = null, leased_until = null, updated_at = now()`

const isLast = (state: Sql): Sql => sql`(${state} = 'succeeded' or attempts > max_retries)`
const isCancelling = sql`(select status = 'cancelling' from executions where uid = execution)`

const LeaseRow = z.object({ execution: z.string(), index: z.number(), attempt: z.number() })
const ClaimedRow = z.object({ index: z.number(), attempt: z.number(), arguments: z.record(z.string(), z.unknown()) })
const ExecutionRow = z.object({
  uid: z.string(),
  id: z.string(),
  workspace: z.string(),
  job: z.string(),
  jobUid: z.string(),
  image: z.string(),
  memoryMb: z.number(),
  timeoutSeconds: z.number(),
  sealed: z.string(),
})

function openOrWait(box: SealedBox, { uid, sealed }: z.infer<typeof ExecutionRow>) {
  try {
    return readableOrLost(() => openSecrets(box, uid, sealed))
  } catch (error) {
    if (error instanceof SealedUnreadable) return 'later'
    throw error
  }
}

async function failWaiting(client: pg.ClientBase, execution: string): Promise<[]> {
  await execute(
    client,
    sql`update tasks set state = 'failed', completed_at = now(), updated_at = now(),
        reason = 'The stored variables of the execution cannot be decrypted. Start it again.'
      where execution = ${execution} and state = 'pending'`,
  )
  return []
}

const toTask = (
  execution: z.infer<typeof ExecutionRow>,
  secrets: LeasedTask['secrets'],
  { index, attempt, arguments: args }: z.infer<typeof ClaimedRow>,
): LeasedTask => ({
  execution: execution.uid,
  executionId: execution.id,
  index,
  attempt,
  arguments: args,
  workspace: execution.workspace,
  job: execution.job,
  jobUid: execution.jobUid,
  image: execution.image,
  memoryMb: execution.memoryMb,
  timeoutSeconds: execution.timeoutSeconds,
  secrets,
})

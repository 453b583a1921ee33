import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { backoffInterval } from '../../../kit/database/queue.ts'
import { stored } from '../../../kit/database/stored.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { insertUsage, toRow, usageIn } from '../../shared/postgres/usage-events.ts'
import { type LeasedTask, type TaskQueue, taskKey } from '../domain/ports.ts'
import { openSecrets } from './execution-secrets.ts'

/** After this a silent worker counts as dead; it renews three times as often. */
export const leaseSeconds = 12

/** Time is the database's everywhere: workers on machines whose clocks differ agree on it. */
export function postgresTaskQueue(pool: pg.Pool, box: SealedBox): TaskQueue {
  return {
    claim: (worker, room) =>
      inTransaction(pool, async (client) => {
        const [execution] = stored(z.array(ExecutionRow), (await client.query(nextExecution)).rows)
        // A statement of its own: it must see what workers before us took, which the lock made us wait out.
        const claimed = execution
          ? await client.query(claimTasks, [execution.uid, worker, room, leaseSeconds])
          : { rows: [] }
        return execution ? stored(z.array(ClaimedRow), claimed.rows).map((row) => toTask(box, execution, row)) : []
      }),

    async renew(worker, tasks) {
      if (tasks.length === 0) return new Set()
      const { rows } = await pool.query(
        `update tasks set leased_until = now() + make_interval(secs => $2)
         where (execution, index) in (select * from unnest($3::text[], $4::int[]))
           and leased_by = $1 and state = 'running' returning execution, index, attempts as attempt`,
        [worker, leaseSeconds, tasks.map(({ execution }) => execution), tasks.map(({ index }) => index)],
      )
      return new Set(stored(z.array(LeaseRow), rows).map(taskKey))
    },

    async finish(worker, { execution, index, attempt }, { state, reason, output }, used) {
      const values = [execution, index, worker, attempt, state, reason, output, JSON.stringify([toRow(used)])]
      await pool.query({ name: 'finish-task', text: finishTask, values })
    },

    async reap() {
      await pool.query(`
        update tasks set ${retryOr("'failed'")}, reason = 'The worker was lost.'
        where state = 'running' and leased_until < now()`)
    },
  }
}

/** Executions take turns; one that is at its limit loses its turn. */
const nextExecution = `
  update executions set claimed_at = clock_timestamp(),
    status = case status when 'queued' then 'running' else status end, started_at = coalesce(started_at, now()),
    updated_at = case status when 'queued' then now() else updated_at end
  where uid = (
    select uid from executions e where status in ('queued', 'running')
      and exists (select from tasks where execution = e.uid and state = 'pending' and not_before <= now())
    order by claimed_at for update skip locked limit 1)
  returning uid, id, workspace, job, job_uid as "jobUid", image, memory_mb as "memoryMb",
    timeout_seconds as "timeoutSeconds", sealed`

// Materialized: as a plain subquery the choice may be run once for each row it is joined with, and so exceed its limit.
const claimTasks = `
  with picked as materialized (
    select index from tasks where execution = $1 and state = 'pending' and not_before <= now()
    order by not_before, index for update skip locked
    limit greatest(0, least($3::bigint, (select parallelism from executions where uid = $1)
      - (select count(*) from tasks where execution = $1 and state = 'running'))))
  update tasks set state = 'running', attempts = attempts + 1, leased_by = $2,
    leased_until = now() + make_interval(secs => $4), scheduled_at = coalesce(scheduled_at, now()),
    started_at = now(), updated_at = now()
  from picked where tasks.execution = $1 and tasks.index = picked.index
  returning tasks.index, attempts as attempt, arguments`

/** The task waits for its next attempt, or is over as the given state says; after a cancel there is no next one. */
const retryOr = (state: string) => `
  state = case
    when ${isLast(state)} then ${state}
    when ${isCancelling} then 'cancelled'
    else 'pending' end,
  completed_at = case when ${isLast(state)} or ${isCancelling} then now() end,
  not_before = now() + ${backoffInterval('attempts - 1', { firstSeconds: 0.1, longestSeconds: 30 })},
  leased_by = null, leased_until = null, updated_at = now()`

const isLast = (state: string) => `(${state} = 'succeeded' or attempts > max_retries)`
const isCancelling = `(select status = 'cancelling' from executions where uid = execution)`

const finishTask = `
  with finished as (
    update tasks set ${retryOr('$5::text')}, reason = $6, output = $7
    where execution = $1 and index = $2 and leased_by = $3 and attempts = $4 and state = 'running' returning true)
  ${insertUsage(`(select used.* from ${usageIn('$8')} used, finished)`)}`

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

const toTask = (
  box: SealedBox,
  execution: z.infer<typeof ExecutionRow>,
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
  secrets: openSecrets(box, execution.uid, execution.sealed),
})

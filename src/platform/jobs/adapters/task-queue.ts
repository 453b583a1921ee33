import type pg from 'pg'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { backoffInterval } from '../../../kit/database/queue.ts'
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
        const { rows } = await client.query(nextExecution)
        // A statement of its own: it must see what workers before us took, which the lock made us wait out.
        const claimed = rows[0]
          ? await client.query(claimTasks, [rows[0].uid, worker, room, leaseSeconds])
          : { rows: [] }
        return claimed.rows.map((row) => toTask(box, rows[0], row))
      }),

    async renew(worker, tasks) {
      if (tasks.length === 0) return new Set()
      const { rows } = await pool.query(
        `update tasks set leased_until = now() + make_interval(secs => $2)
         where (execution, index) in (select * from unnest($3::text[], $4::int[]))
           and leased_by = $1 and state = 'running' returning execution, index, attempts as attempt`,
        [worker, leaseSeconds, tasks.map(({ execution }) => execution), tasks.map(({ index }) => index)],
      )
      return new Set(rows.map(taskKey))
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

/** Executions take turns; whoever is at its limit still gives its turn away. */
const nextExecution = `
  update executions set claimed_at = clock_timestamp(),
    status = case status when 'queued' then 'running' else status end, started_at = coalesce(started_at, now()),
    updated_at = case status when 'queued' then now() else updated_at end
  where uid = (
    select uid from executions e where status in ('queued', 'running')
      and exists (select from tasks where execution = e.uid and state = 'pending' and not_before <= now())
    order by claimed_at for update skip locked limit 1)
  returning uid, id, workspace, job, job_uid, image, memory_mb, timeout_seconds, sealed`

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

type ClaimedRow = { index: number; attempt: number; arguments: Record<string, unknown> }
type ExecutionRow = Record<'uid' | 'id' | 'workspace' | 'job' | 'job_uid' | 'image' | 'sealed', string> &
  Record<'memory_mb' | 'timeout_seconds', number>

const toTask = (
  box: SealedBox,
  execution: ExecutionRow,
  { index, attempt, arguments: args }: ClaimedRow,
): LeasedTask => ({
  execution: execution.uid,
  executionId: execution.id,
  index,
  attempt,
  arguments: args,
  workspace: execution.workspace,
  job: execution.job,
  jobUid: execution.job_uid,
  image: execution.image,
  memoryMb: execution.memory_mb,
  timeoutSeconds: execution.timeout_seconds,
  secrets: openSecrets(box, execution.uid, execution.sealed),
})

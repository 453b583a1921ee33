import type pg from 'pg'
import { z } from 'zod'
import { executionStatuses } from '../../../contract/control-plane/execution.ts'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { backoffInterval, claimDue } from '../../../kit/database/queue.ts'
import { stored } from '../../../kit/database/stored.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { type Execution, type NewExecution, taskStates } from '../domain/execution.ts'
import type { Executions } from '../domain/ports.ts'
import { openSecrets, sealSecrets } from './execution-secrets.ts'

const columns = `uid, seq, id, workspace, job, status, parallelism, timeout_seconds as "timeoutSeconds",
  memory_override as "memoryOverride", env_names as "envNames",
  env_shown as "envShown", created_at as "createdAt", started_at as "startedAt",
  completed_at as "completedAt", updated_at as "updatedAt",
  (select json_build_object('total', count(*), 'success', count(*) filter (where state = 'succeeded'),
     'failure', count(*) filter (where state in ('failed', 'timeout')),
     'cancelled', count(*) filter (where state = 'cancelled'), 'running', count(*) filter (where state = 'running'),
     'retried', coalesce(sum(greatest(attempts - 1, 0)), 0)) from tasks where execution = executions.uid) as stats`

const Count = z.number()
const Row = z.object({
  uid: z.string(),
  seq: z.number(),
  id: z.string(),
  workspace: z.string(),
  job: z.string(),
  status: z.enum(executionStatuses),
  parallelism: z.number(),
  timeoutSeconds: z.number(),
  memoryOverride: z.number(),
  envNames: z.array(z.string()),
  envShown: z.record(z.string(), z.string()),
  createdAt: z.date(),
  startedAt: z.date().nullable(),
  completedAt: z.date().nullable(),
  updatedAt: z.date(),
  stats: z.object({ total: Count, success: Count, failure: Count, cancelled: Count, running: Count, retried: Count }),
})

const TaskRow = z.object({
  index: z.number(),
  state: z.enum(taskStates),
  attempts: z.number(),
  maxRetries: z.number(),
  reason: z.string(),
  createdAt: z.date(),
  scheduledAt: z.date().nullable(),
  startedAt: z.date().nullable(),
  completedAt: z.date().nullable(),
  updatedAt: z.date(),
})

const Same = z.object({ same: z.boolean() })
const Total = z.object({ count: z.number() })
const Output = z.object({ output: z.string() })
const Untold = z.object({ uid: z.string(), jobUid: z.string(), attempts: z.number(), sealed: z.string() })

const toExecution = (row: unknown): Execution => stored(Row, row)

export function postgresExecutions(pool: pg.Pool, box: SealedBox): Executions {
  return {
    add: (execution, by) => addWithTasks(pool, box, execution, by),

    async find(jobUid, id) {
      const { rows } = await pool.query(`select ${columns} from executions where job_uid = $1 and id = $2`, [
        jobUid,
        id,
      ])
      return rows[0] && toExecution(rows[0])
    },

    // As documents: the order of their members, and how a number is written, make no difference.
    async hasTasks(uid, tasks) {
      const same = `coalesce(jsonb_agg(arguments order by index), '[]') = $2::jsonb`
      const text = `select ${same} as same from tasks where execution = $1`
      return stored(Same, (await pool.query(text, [uid, JSON.stringify(tasks)])).rows[0]).same
    },

    async page({ jobUid, limit, before }) {
      const { rows } = await pool.query(
        `select ${columns} from executions where job_uid = $1 and seq < $2 order by seq desc limit $3`,
        [jobUid, before ?? Number.MAX_SAFE_INTEGER, limit],
      )
      return rows.map(toExecution)
    },

    async count(jobUid) {
      const { rows } = await pool.query('select count(*) from executions where job_uid = $1', [jobUid])
      return stored(Total, rows[0]).count
    },

    async tasks(uid, limit, after) {
      const { rows } = await pool.query(
        `select index, state, attempts, max_retries as "maxRetries", reason, created_at as "createdAt",
           scheduled_at as "scheduledAt", started_at as "startedAt", completed_at as "completedAt", updated_at as "updatedAt"
         from tasks where execution = $1 and index > $2 order by index limit $3`,
        [uid, after, limit],
      )
      return stored(z.array(TaskRow), rows)
    },

    async output(uid, index) {
      const { rows } = await pool.query('select output from tasks where execution = $1 and index = $2', [uid, index])
      return rows[0] && stored(Output, rows[0]).output
    },

    // Tasks that run are left to their end; the others never begin.
    async cancel(uid, by) {
      await pool.query(cancel, [uid, auditEntry(by, 'execution.cancelled')])
    },

    async settle() {
      await pool.query(cancelStrays)
      await pool.query(settle)
    },

    async nextCallback() {
      const { rows } = await pool.query(
        `update executions set callback_attempts = callback_attempts + 1, callback_at = now() + interval '30 seconds'
         where uid = (${nextCallback})
         returning ${columns}, job_uid as "jobUid", callback_attempts as attempts, sealed`,
      )
      if (!rows[0]) return undefined
      const { jobUid, attempts, sealed, uid } = stored(Untold, rows[0])
      return { execution: toExecution(rows[0]), jobUid, attempts, secrets: openSecrets(box, uid, sealed) }
    },

    async retryCallback(uid) {
      await pool.query(
        `update executions set callback_at = now() + ${callbackBackoff}
         where uid = $1`,
        [uid],
      )
    },

    async callbackDone(uid) {
      await pool.query('update executions set callback_at = null where uid = $1', [uid])
    },

    async hasFired(jobUid, trigger, firedFor) {
      const text = 'select from job_fires where job_uid = $1 and trigger = $2 and fired_for = $3'
      return (await pool.query(text, [jobUid, trigger, firedFor])).rowCount === 1
    },

    async noteFire(jobUid, trigger, firedFor) {
      const text = 'insert into job_fires (job_uid, trigger, fired_for) values ($1, $2, $3) on conflict do nothing'
      await pool.query(text, [jobUid, trigger, firedFor])
    },
  }
}

/** One statement, so an execution without its tasks is never seen. */
async function addWithTasks(pool: pg.Pool, box: SealedBox, execution: NewExecution, by: Actor): Promise<boolean> {
  const { uid, id, job, parallelism, memoryMb, memoryOverride, envNames, envShown, secrets, tasks } = execution
  const { rowCount } = await pool.query(add, [
    uid,
    id,
    job.workspace,
    job.uid,
    job.name,
    job.image,
    parallelism,
    job.timeoutSeconds,
    memoryMb,
    memoryOverride,
    envNames,
    sealSecrets(box, uid, secrets),
    secrets.reveal().callback !== undefined,
    JSON.stringify(tasks),
    job.maxRetries,
    auditEntry(by, 'execution.started'),
    JSON.stringify(envShown),
  ])
  return (rowCount ?? 0) > 0
}

/** The id is the caller's choice and is unique only within its job. */
const about = { workspace: 'c.workspace', kind: `'execution'`, name: `c.job || '/' || c.id`, id: 'c.uid' }

const insert = `
  insert into executions (uid, id, workspace, job_uid, job, image, parallelism, timeout_seconds, memory_mb,
    memory_override, env_names, sealed, callback_at, env_shown)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, case when $13 then now() end, $17)
  on conflict (job_uid, id) do nothing returning *`

const add = `${withAudit(insert, about, '$16')}
  insert into tasks (execution, index, arguments, max_retries)
  select uid, at - 1, task, $15 from changed, jsonb_array_elements($14::jsonb) with ordinality as given (task, at)`

const stop = `
  update executions set status = 'cancelling', updated_at = now()
  where uid = $1 and status in ('queued', 'running') returning *`

const cancel = `${withAudit(stop, about, '$2')}
  update tasks set state = 'cancelled', reason = 'Cancelled', completed_at = now(), updated_at = now()
  where execution = (select uid from changed) and state = 'pending'`

/** A task that failed while its execution was being cancelled did not see that, and waits for an attempt nobody makes. */
const cancelStrays = `
  update tasks set state = 'cancelled', completed_at = now(), updated_at = now()
  where state = 'pending' and execution in (select uid from executions where status = 'cancelling')`

const nextCallback = claimDue({
  table: 'executions',
  key: 'uid',
  due: 'callback_at',
  and: 'completed_at is not null',
  limit: 1,
})

const callbackBackoff = backoffInterval('callback_attempts - 1', { firstSeconds: 1, longestSeconds: 300 })

/**
 * Looks at all open executions whose tasks are all over. The last two tasks may end at the same moment without seeing
 * each other, so this runs again and again instead of at the end of a task alone.
 */
const settle = `
  update executions set completed_at = now(), updated_at = now(), status = case
    when status = 'cancelling' then 'cancelled'
    when exists (select from tasks where execution = uid and state = 'failed') then 'failed'
    when exists (select from tasks where execution = uid and state = 'timeout') then 'timeout'
    else 'succeeded' end
  where uid in (
    select uid from executions e where status in ('queued', 'running', 'cancelling')
      and not exists (select from tasks where execution = e.uid and state = 'pending')
      and not exists (select from tasks where execution = e.uid and state = 'running')
    for update skip locked)`

import type pg from 'pg'
import { z } from 'zod'
import { executionStatuses } from '../../../contract/control-plane/execution.ts'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { backoffInterval, claimDue } from '../../../kit/database/queue.ts'
import { execute, one, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { stored } from '../../../kit/database/stored.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { readableOrLost } from '../../shared/domain/failure.ts'
import { sealContext } from '../../shared/domain/seal-context.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { forgetFires } from '../../shared/postgres/trigger-fires.ts'
import {
  type ExecutionSecrets,
  type NewExecution,
  openStatuses,
  startableStatuses,
  taskStates,
} from '../domain/execution.ts'
import type { Executions } from '../domain/ports.ts'

const Count = z.number()
const Columns = z.object({
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
})

const Row = Columns.extend({
  stats: z.object({ total: Count, success: Count, failure: Count, cancelled: Count, running: Count, retried: Count }),
})

const columns = sql`${sql.columns(Columns)},
  (select json_build_object('total', count(*), 'success', count(*) filter (where state = 'succeeded'),
     'failure', count(*) filter (where state in ('failed', 'timeout')),
     'cancelled', count(*) filter (where state = 'cancelled'), 'running', count(*) filter (where state = 'running'),
     'retried', coalesce(sum(greatest(attempts - 1, 0)), 0)) from tasks where execution = executions.uid) as stats`

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

const Status = Columns.pick({ status: true })
const Same = z.object({ same: z.boolean() })
const Total = z.object({ count: z.number() })
const Output = z.object({ output: z.string() })
const CallbackRow = Row.extend({
  jobUid: z.string(),
  callbackAttempts: z.number(),
  callbackClaims: z.number(),
  sealed: z.string(),
})

export function postgresExecutions(pool: pg.Pool, box: SealedBox): Executions {
  return {
    add: (execution, by) => addWithTasks(pool, box, execution, by),

    find: (jobUid, id) =>
      row(pool, Row, sql`select ${columns} from executions where job_uid = ${jobUid} and id = ${id}`),

    statusOf: async (uid) => (await row(pool, Status, sql`select status from executions where uid = ${uid}`))?.status,

    // Compared as jsonb: member order and number format don't matter.
    async hasTasks(uid, tasks) {
      const same = sql`coalesce(jsonb_agg(arguments order by index), '[]') = ${JSON.stringify(tasks)}::jsonb`
      return (await one(pool, Same, sql`select ${same} as same from tasks where execution = ${uid}`)).same
    },

    page: ({ jobUid, limit, before }) =>
      rows(
        pool,
        Row,
        sql`select ${columns} from executions
          where job_uid = ${jobUid} and seq < ${before ?? Number.MAX_SAFE_INTEGER} order by seq desc limit ${limit}`,
      ),

    count: async (jobUid) =>
      (await one(pool, Total, sql`select count(*) from executions where job_uid = ${jobUid}`)).count,

    tasks: (uid, limit, after) =>
      rows(
        pool,
        TaskRow,
        sql`select ${sql.columns(TaskRow)} from tasks
          where execution = ${uid} and index > ${after} order by index limit ${limit}`,
      ),

    output: async (uid, index) =>
      (await row(pool, Output, sql`select output from tasks where execution = ${uid} and index = ${index}`))?.output,

    async cancel(uid, by) {
      const stop = sql`
        update executions set status = 'cancelling', updated_at = now()
        where uid = ${uid} and ${isStartable} returning *`
      await execute(
        pool,
        sql`${withAudit(stop, about, auditEntry(by, 'execution.cancelled'))}
          update tasks set state = 'cancelled', reason = 'Cancelled', completed_at = now(), updated_at = now()
          where execution = (select uid from changed) and state = 'pending'`,
      )
    },

    async settle() {
      await execute(pool, cancelStrays)
      await execute(pool, settle)
    },

    async nextCallback() {
      const due = await row(
        pool,
        CallbackRow,
        sql`update executions set callback_attempts = callback_attempts + 1,
            callback_claims = callback_claims + 1, callback_at = now() + interval '30 seconds'
          where uid = (${nextCallback})
          returning ${columns}, job_uid as "jobUid", callback_attempts as "callbackAttempts",
            callback_claims as "callbackClaims", sealed`,
      )
      if (!due) return undefined
      const { jobUid, callbackAttempts: attempts, callbackClaims: claims, sealed, ...execution } = due
      const secrets = readableOrLost(() => openSecrets(box, execution.uid, sealed))
      return { execution, jobUid, attempts, claims, secrets }
    },

    async retryCallback(uid) {
      await execute(
        pool,
        sql`update executions set callback_claims = 0, callback_at = now() + ${callbackBackoff} where uid = ${uid}`,
      )
    },

    async callbackDone(uid) {
      await execute(pool, sql`update executions set callback_at = null where uid = ${uid}`)
    },

    async hasFired(jobUid, trigger, firedFor) {
      const found = await execute(
        pool,
        sql`select from trigger_fires where resource_id = ${jobUid} and trigger = ${trigger} and fired_for = ${firedFor}`,
      )
      return found === 1
    },

    async noteFire(jobUid, trigger, firedFor) {
      await execute(
        pool,
        sql`with forgotten as (${forgetFires(jobUid, trigger, firedFor)})
          insert into trigger_fires (resource_id, trigger, fired_for) values (${jobUid}, ${trigger}, ${firedFor})
          on conflict do nothing`,
      )
    },
  }
}

/** One statement, so that an execution is never visible without its tasks. */
async function addWithTasks(pool: pg.Pool, box: SealedBox, execution: NewExecution, by: Actor): Promise<boolean> {
  const { job, tasks } = execution
  const added = await execute(
    pool,
    sql`${withAudit(insert(box, execution), about, auditEntry(by, 'execution.started'))}
      insert into tasks (execution, index, arguments, max_retries)
      select uid, at - 1, task, ${job.maxRetries}
      from changed, jsonb_array_elements(${JSON.stringify(tasks)}::jsonb) with ordinality as given (task, at)`,
  )
  return added > 0
}

const about = {
  workspace: sql`c.workspace`,
  kind: sql`'execution'`,
  name: sql`c.job || '/' || c.id`,
  id: sql`c.uid`,
}

function insert(box: SealedBox, execution: NewExecution): Sql {
  const { uid, id, job, parallelism, memoryMb, memoryOverride, timeoutOverride, envNames, envShown, secrets } =
    execution
  return sql`
    insert into executions (uid, id, workspace, job_uid, job, image, parallelism, timeout_seconds, memory_mb,
      memory_override, env_names, sealed, callback_at, env_shown)
    values (${uid}, ${id}, ${job.workspace}, ${job.uid}, ${job.name}, ${job.image}, ${parallelism},
      ${timeoutOverride ?? job.timeoutSeconds}, ${memoryMb}, ${memoryOverride}, ${envNames}, ${sealSecrets(box, uid, secrets)},
      case when ${secrets.reveal().callback !== undefined} then now() end, ${JSON.stringify(envShown)})
    on conflict (job_uid, id) do nothing returning *`
}

/** A task that failed while its execution was being cancelled is pending and would never run again. */
const cancelStrays = sql`
  update tasks set state = 'cancelled', completed_at = now(), updated_at = now()
  where state = 'pending' and execution in (select uid from executions where status = 'cancelling')`

const nextCallback = claimDue({
  table: 'executions',
  key: 'uid',
  due: 'callback_at',
  and: sql`completed_at is not null`,
  limit: 1,
})

const callbackBackoff = backoffInterval(sql`callback_attempts - 1`, { firstSeconds: 1, maxSeconds: 300 })

// Literals, so that the partial index executions_open matches.
const isOpen = sql`status in (${sql.join(openStatuses.map(sql.literal))})`

export const isStartable = sql`status in (${sql.join(startableStatuses.map(sql.literal))})`

/** Runs periodically, because two last tasks that end concurrently don't see each other. */
const settle = sql`
  update executions set completed_at = now(), updated_at = now(), status = case
    when status = 'cancelling' then 'cancelled'
    when exists (select from tasks where execution = uid and state = 'failed') then 'failed'
    when exists (select from tasks where execution = uid and state = 'timeout') then 'timeout'
    else 'succeeded' end
  where uid in (
    select uid from executions e where ${isOpen}
      and not exists (select from tasks where execution = e.uid and state = 'pending')
      and not exists (select from tasks where execution = e.uid and state = 'running')
    for update skip locked)`

const Secrets = z.object({
  env: z.record(z.string(), z.string()),
  secretNames: z.array(z.string()).default([]),
  temporary: z.array(z.object({ at: z.string(), maxMb: z.number(), readOnly: z.boolean() })).default([]),
  callback: z
    .object({ url: z.string(), secret: z.string().optional(), attempts: z.number() })
    .transform(({ secret, ...rest }) => ({ ...rest, secret }))
    .optional(),
})

const sealSecrets = (box: SealedBox, uid: string, secrets: Secret<ExecutionSecrets>): string =>
  box.seal(new Secret(JSON.stringify(secrets.reveal())), sealContext.execution(uid))

export const openSecrets = (box: SealedBox, uid: string, sealed: string): Secret<ExecutionSecrets> =>
  new Secret(stored(Secrets, JSON.parse(box.open(sealed, sealContext.execution(uid)).reveal())))

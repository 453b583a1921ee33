import type pg from 'pg'
import { z } from 'zod'
import { backoffInterval, claimDue } from '../../../kit/database/queue.ts'
import { execute, maybe, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import type { EraseEntries } from '../../adapters/postgres/audit-chain/erased-entries.ts'
import { newestPage } from '../../adapters/postgres/page-of.ts'
import { ActorColumn, CauseColumn, Count, Id } from '../../adapters/postgres/schema.ts'
import { inMode, inSeconds, matching, noted } from '../../adapters/postgres/statement-parts.ts'
import { revocations } from '../../domain/connection-task.ts'
import { isEnded, LinkRow, linkStates } from '../../domain/link.ts'
import {
  type Erasure,
  erasureSteps,
  notifiedUntil,
  type OpenErasure,
  removedKinds,
} from '../../domain/offboarding/erasure.ts'
import type { Erasures } from '../../domain/ports/offboarding.ts'
import { linkColumns } from '../../provisioning/adapters/postgres/rows.ts'
import { eraseUser, ofUser, sessionsOfUser } from './erase-user.ts'

const leaseSeconds = 60

export function postgresErasures(pool: pg.Pool, eraseEntries: EraseEntries): Erasures {
  const openLinks = (erasure: OpenErasure, limit: number) =>
    sql`
      select ${linkColumns} from links where session_id in (${sessionsOfUser(erasure)})
        and state <> all(${endedStates}::text[]) order by id limit ${limit}`
  const openConnections = ({ tenant, endUserId }: OpenErasure) =>
    sql`select id from connections where ${ofUser('end_user_id', endUserId)} and tenant = ${tenant} and status <> 'disconnected'`

  return {
    async open({ id, tenant, subject, endUserId, actor }, audit) {
      const made = await row(
        pool,
        ErasureRow,
        sql`
          with made as (
            insert into erasures (id, tenant, subject, end_user_id, step, actor, due_at)
            values (${id}, ${tenant}, ${subject}, ${endUserId}, 'ending_links', ${JSON.stringify(actor)}::jsonb,
              ${inSeconds(leaseSeconds)})
            on conflict (tenant, subject) where due_at is not null do nothing
            returning *
          ), ${noted(audit, 'made')}
          select ${columns} from made as erasures`,
      )
      if (made) return made
      const newest = sql`select ${columns} from erasures where ${matching({ tenant, subject })} order by id desc limit 1`
      return (await row(pool, ErasureRow, newest)) as Erasure
    },
    find: (id) => row(pool, ErasureRow, sql`select ${columns} from erasures where id = ${id}`),
    list({ tenant, testMode, subject, ...page }) {
      const wanted = sql`${matching({ tenant, subject })} and ${inMode(testMode)}`
      return newestPage(pool, ErasureRow, sql`select ${columns} from erasures where ${wanted}`, page)
    },
    claimDue: (limit) =>
      rows(
        pool,
        OpenErasureRow,
        sql`
          update erasures set due_at = now() + ${leaseOf(sql`claims`)}, fence = fence + 1, claims = claims + 1
          where id in (${claimDue({ table: 'erasures', key: 'id', due: 'due_at', claims: 'claims', limit })})
          returning ${columns}`,
      ),
    move: ({ id, fence, step }, to) =>
      row(
        pool,
        OpenErasureRow,
        sql`
          update erasures set step = ${to}, cause = null, claims = 1, step_since = now(), updated_at = now(),
            due_at = ${inSeconds(leaseSeconds)}
          where id = ${id} and fence = ${fence} and step = ${step}
          returning ${columns}`,
      ),
    async postpone({ id, fence }, delaySeconds, cause) {
      await execute(
        pool,
        sql`
          update erasures set due_at = ${inSeconds(delaySeconds)}, cause = ${cause ?? null}, claims = 0, updated_at = now()
          where id = ${id} and fence = ${fence} and due_at is not null`,
      )
    },
    async closeSessions(erasure) {
      const { tenant, endUserId } = erasure
      await execute(
        pool,
        sql`
          with sessions as (
            update connect_sessions set cancelled_at = now()
            where id in (${sessionsOfUser(erasure)}) and cancelled_at is null and expires_at > now()
          ), pages as (
            update manage_sessions set revoked_at = now()
            where tenant = ${tenant} and end_user ->> 'id' = ${endUserId} and revoked_at is null
          )
          update import_rows set state = 'cancelled', sealed = null
          where tenant = ${tenant} and end_user ->> 'id' = ${endUserId} and state = 'waiting'`,
      )
    },
    openLinks: (erasure, limit) => rows(pool, LinkRow, openLinks(erasure, limit)),
    openConnections: async (erasure, limit) =>
      (await rows(pool, Id, sql`${openConnections(erasure)} order by id limit ${limit}`)).map(({ id }) => id),
    async blockingCause(erasure) {
      const waiting = sql`
        select cause from connection_tasks where due_at is not null and cause is not null
          and connection_id in (${openConnections(erasure)}) order by id limit 1`
      return (await row(pool, CauseRow, waiting))?.cause
    },
    async hasUnsentMessages({ tenant, endUserId }) {
      const unsent = sql`
        select count(*) as count from outbox
        where ${isAbout(sql`${tenant}`, sql`${endUserId}`)} and (
          due_at is not null
          or exists (select from webhook_deliveries where event = outbox.id and status = 'pending')
        )`
      return ((await row(pool, Count, unsent))?.count ?? 0) > 0
    },
    async finish(erasure, event, audit) {
      const outcome = await inTransaction(pool, async (transaction) => {
        const outcome = await eraseUser(transaction, erasure, event, endedStates, eraseEntries)
        if (outcome === 'done') await noteAudit(transaction, audit)
        return outcome
      })
      if (outcome !== 'done') return outcome === 'open' ? 'open' : undefined
      return row(pool, ErasureRow, sql`select ${columns} from erasures where id = ${erasure.id}`)
    },
  }
}

/** Backs off if it keeps crashing workers. It must not be set aside, because it could never finish. */
const leaseOf = (claims: Sql) => backoffInterval(claims, { firstSeconds: leaseSeconds, maxSeconds: 60 * 60 })

const endedStates = linkStates.filter(isEnded)

const CauseRow = z.object({ cause: CauseColumn })

const Receipt = z.object({
  grants: z.array(
    z.object({
      integration: z.string(),
      connectionId: z.string().optional(),
      linkId: z.string().optional(),
      revocation: z.enum(revocations),
    }),
  ),
  removed: z.record(z.enum(removedKinds), z.number()),
})

const ErasureColumns = z.object({
  id: z.string(),
  tenant: z.string(),
  subject: z.string(),
  endUserId: maybe(z.string()),
  step: z.enum(erasureSteps),
  cause: CauseColumn,
  actor: ActorColumn,
  fence: z.number(),
  stepAgeSeconds: z.number(),
  receipt: maybe(Receipt),
  requestedAt: z.date(),
  updatedAt: z.date(),
  finishedAt: maybe(z.date()),
  stepSince: z.date(),
  awaited: maybe(z.array(z.string())),
})

const asErasure = <T extends z.output<typeof ErasureColumns>>({ stepSince, awaited, ...erasure }: T) => ({
  ...erasure,
  notifying: awaited && { webhookIds: awaited, until: notifiedUntil(stepSince) },
})

const ErasureRow = ErasureColumns.transform(asErasure)

const OpenErasureRow = ErasureColumns.extend({ endUserId: z.string() }).transform(asErasure)

const isAbout = (tenant: Sql, endUserId: Sql) =>
  sql`outbox.tenant = ${tenant} and payload ? 'endUser' and payload #>> '{endUser,id}' = ${endUserId}`

/** Endpoints with undelivered messages about the user, or null outside of step `notifying`. */
const awaited = sql`
  case when step = 'notifying' then array(
    select distinct webhook from outbox join webhook_deliveries on webhook_deliveries.event = outbox.id
    where ${isAbout(sql`erasures.tenant`, sql`erasures.end_user_id`)} and webhook_deliveries.status = 'pending'
    order by webhook
  ) end`

const columns = sql`
  id, tenant, subject, end_user_id as "endUserId", step, cause, actor, fence, receipt, created_at as "requestedAt",
  updated_at as "updatedAt", finished_at as "finishedAt", step_since as "stepSince", ${awaited} as awaited,
  extract(epoch from now() - step_since)::float8 as "stepAgeSeconds"`

import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import { changeAudited } from '../../adapters/postgres/audit.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import { announced, inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { isEnded, linkStates } from '../../domain/link.ts'
import type { TenantDeletions } from '../../domain/ports/offboarding.ts'
import type { DeletionStep, TenantDeletion } from '../../domain/tenant-deletion.ts'

/** A worker that neither moves a deletion nor dies within this time has lost it. */
const leaseSeconds = 60

export function postgresTenantDeletions(db: Database<LedgerSchema>): TenantDeletions {
  const one = async (statement: RawBuilder<DeletionRow>): Promise<TenantDeletion | undefined> => {
    const { rows } = await statement.execute(db)
    return rows[0] && toDeletion(rows[0])
  }
  const find = (tenant: string) => one(sql`select ${columns} from tenant_deletions where tenant = ${tenant}`)
  const count = async (query: RawBuilder<{ count: number }>) => Number((await query.execute(db)).rows[0]?.count ?? 0)

  return {
    async open(tenant, actor, audit) {
      const opened = await one(sql`
        with marked as (
          update tenants set status = 'deleting', updated_at = now()
          where id = ${tenant} and status = 'active' returning id
        ), made as (
          insert into tenant_deletions (tenant, step, actor, due_at)
          select id, 'ending_links', ${JSON.stringify(actor)}::jsonb, ${inSeconds(leaseSeconds)} from marked
          returning *
        ), revoked as (
          update api_keys set revoked_at = now() from marked where api_keys.tenant = marked.id and revoked_at is null
        ), ${noted(audit, 'made')}
        select ${columns} from made as tenant_deletions`)
      return opened ?? find(tenant)
    },
    find,
    async claimDue(limit) {
      const { rows } = await sql<DeletionRow>`
        update tenant_deletions set due_at = ${inSeconds(leaseSeconds)}, fence = fence + 1
        where tenant in (
          select tenant from tenant_deletions where due_at <= now() order by due_at limit ${limit} for update skip locked
        )
        returning ${columns}`.execute(db)
      return rows.map(toDeletion)
    },
    move: (deletion, step) => one(sql`with ${moved(deletion, step)} select ${columns} from moved as tenant_deletions`),
    announce: (deletion, event) =>
      one(sql`
        with ${moved(deletion, 'notifying')}, ${announced(event, 'moved')}
        select ${columns} from moved as tenant_deletions`),
    async postpone({ tenant, fence }, delaySeconds) {
      await sql`
        update tenant_deletions set due_at = ${inSeconds(delaySeconds)}
        where tenant = ${tenant} and fence = ${fence} and due_at is not null`.execute(db)
    },
    async cancelSessions(tenant, audit) {
      let cancelled = 0
      await changeAudited(db, audit, async (transaction) => {
        const { numAffectedRows = 0n } = await sql`
          update connect_sessions set cancelled_at = now()
          where tenant = ${tenant} and ${isOpenSession}`.execute(transaction)
        cancelled = Number(numAffectedRows)
        return numAffectedRows
      })
      return cancelled
    },
    hasUnsentMessages: async (tenant) =>
      (await count(sql`
        select (
          select count(*) from outbox where tenant = ${tenant} and due_at is not null
        ) + (
          select count(*) from webhook_deliveries where tenant = ${tenant} and status = 'pending'
        ) as count`)) > 0,
    countOpen: (tenant) =>
      count(sql`
        select (select count(*) from connect_sessions where tenant = ${tenant} and ${isOpenSession})
          + (select count(*) from links where tenant = ${tenant} and state <> all(${endedStates}::text[]))
          + (select count(*) from connections where tenant = ${tenant} and status <> 'disconnected') as count`),
    countConnections: (tenant) =>
      count(sql`select count(*) as count from connections where tenant = ${tenant} and status <> 'disconnected'`),
    finish: (deletion, audit) =>
      one(sql`
        with ${moved(deletion, 'done', sql`due_at = null`)},
        endpoints as (delete from webhooks using moved where webhooks.tenant = moved.tenant),
        clients as (delete from tenant_oauth_clients using moved where tenant_oauth_clients.tenant = moved.tenant),
        keys as (
          update api_keys set revoked_at = now() from moved
          where api_keys.tenant = moved.tenant and revoked_at is null
        ), wiped as (
          update tenants set status = 'deleted', signing_secret = null, next_signing_secret = null,
            next_active_from = null, return_urls = '{}', updated_at = now()
          from moved where tenants.id = moved.tenant
        ), ${noted(audit, 'moved')}
        select ${columns} from moved as tenant_deletions`),
  }
}

/** One that a browser could still start. */
const isOpenSession = sql<boolean>`cancelled_at is null and expires_at > now()
  and not exists (select from links where links.session_id = connect_sessions.id)`

const endedStates = linkStates.filter(isEnded)

const columns = sql`
  tenant, step, actor, fence, created_at, updated_at,
  extract(epoch from now() - created_at)::float8 as age, extract(epoch from now() - step_since)::float8 as step_age`

const moved = (
  { tenant, fence, step }: TenantDeletion,
  to: DeletionStep,
  due = sql`due_at = ${inSeconds(leaseSeconds)}`,
) => sql`moved as (
  update tenant_deletions set step = ${to}, step_since = now(), updated_at = now(), ${due}
  where tenant = ${tenant} and fence = ${fence} and step = ${step}
  returning *
)`

type DeletionRow = {
  tenant: string
  step: DeletionStep
  actor: Actor
  fence: number
  age: number
  step_age: number
  created_at: Date
  updated_at: Date
}

const toDeletion = (row: DeletionRow): TenantDeletion => ({
  tenant: row.tenant,
  step: row.step,
  actor: row.actor,
  fence: row.fence,
  ageSeconds: row.age,
  stepAgeSeconds: row.step_age,
  startedAt: row.created_at,
  updatedAt: row.updated_at,
})

import type pg from 'pg'
import { z } from 'zod'
import { backoffInterval, claimDue } from '../../../kit/database/queue.ts'
import { execute, one, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { changeAudited } from '../../adapters/postgres/audit.ts'
import { ActorColumn, Count } from '../../adapters/postgres/schema.ts'
import { announced, inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import { isEnded, linkStates } from '../../domain/link.ts'
import { type DeletionStep, deletionSteps, type TenantDeletion } from '../../domain/offboarding/tenant-deletion.ts'
import type { TenantDeletions } from '../../domain/ports/offboarding.ts'
import { isOpenSession } from '../../linking/adapters/connect-sessions.ts'

const leaseSeconds = 60

export function postgresTenantDeletions(pool: pg.Pool): TenantDeletions {
  const deletion = (statement: Sql) => row(pool, DeletionRow, statement)
  const find = (tenant: string) => deletion(sql`select ${columns} from tenant_deletions where tenant = ${tenant}`)
  const count = async (query: Sql) => (await one(pool, Count, query)).count

  return {
    async open(tenant, actor, audit) {
      const opened = await deletion(sql`
        with marked as (
          update tenants set status = 'deleting', updated_at = now()
          where id = ${tenant} and status in ('active', 'suspended') returning id
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
    claimDue: (limit) =>
      rows(
        pool,
        DeletionRow,
        sql`
          update tenant_deletions set due_at = now() + ${leaseOf(sql`claims`)}, fence = fence + 1, claims = claims + 1
          where tenant in (${claimDue({ ...dueDeletions, limit })})
          returning ${columns}`,
      ),
    move: (from, step) => deletion(sql`with ${moved(from, step)} select ${columns} from moved as tenant_deletions`),
    announce: (from, event) =>
      deletion(sql`
        with ${moved(from, 'notifying')}, ${announced(event, 'moved')}
        select ${columns} from moved as tenant_deletions`),
    async postpone({ tenant, fence }, delaySeconds) {
      await execute(
        pool,
        sql`
          update tenant_deletions set due_at = ${inSeconds(delaySeconds)}, claims = 0
          where tenant = ${tenant} and fence = ${fence} and due_at is not null`,
      )
    },
    async cancelSessions(tenant, audit) {
      const cancel = sql`update connect_sessions set cancelled_at = now() where tenant = ${tenant} and ${isOpenSession}`
      let cancelled = 0
      await changeAudited(pool, audit, async (transaction) => {
        cancelled = await execute(transaction, cancel)
        return cancelled
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
    finish: (from, audit) =>
      deletion(sql`
        with ${moved(from, 'done', sql`due_at = null`)},
        endpoints as (delete from webhooks using moved where webhooks.tenant = moved.tenant),
        clients as (delete from tenant_oauth_clients using moved where tenant_oauth_clients.tenant = moved.tenant),
        policies as (
          update setting_versions set sealed = null, reason = null from moved where setting_versions.tenant = moved.tenant
        ),
        pictures as (delete from tenant_logos using moved where tenant_logos.tenant = moved.tenant),
        rows as (
          delete from import_rows using moved, imports
          where imports.tenant = moved.tenant and import_rows.import_id = imports.id
        ), keys as (
          update api_keys set revoked_at = now() from moved
          where api_keys.tenant = moved.tenant and revoked_at is null
        ), wiped as (
          update tenants set status = 'deleted', signing_secret = null, next_signing_secret = null,
            next_active_from = null, return_urls = '{}', logos = '{}', updated_at = now()
          from moved where tenants.id = moved.tenant
        ), ${noted(audit, 'moved')}
        select ${columns} from moved as tenant_deletions`),
  }
}

const dueDeletions = { table: 'tenant_deletions', key: 'tenant', due: 'due_at', claims: 'claims' }

/** Backs off if it keeps crashing workers. It must not be set aside, because it could never finish. */
const leaseOf = (claims: Sql) => backoffInterval(claims, { firstSeconds: leaseSeconds, maxSeconds: 60 * 60 })

const endedStates = linkStates.filter(isEnded)

const columns = sql`
  tenant, step, actor, fence, created_at as "startedAt", updated_at as "updatedAt",
  extract(epoch from now() - created_at)::float8 as "ageSeconds",
  extract(epoch from now() - step_since)::float8 as "stepAgeSeconds"`

const newLease = sql`due_at = ${inSeconds(leaseSeconds)}`

const moved = ({ tenant, fence, step }: TenantDeletion, to: DeletionStep, due = newLease) => sql`moved as (
  update tenant_deletions set step = ${to}, claims = 1, step_since = now(), updated_at = now(), ${due}
  where tenant = ${tenant} and fence = ${fence} and step = ${step}
  returning *
)`

const DeletionRow = z.object({
  tenant: z.string(),
  step: z.enum(deletionSteps),
  actor: ActorColumn,
  fence: z.number(),
  ageSeconds: z.number(),
  stepAgeSeconds: z.number(),
  startedAt: z.date(),
  updatedAt: z.date(),
})

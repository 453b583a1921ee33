import type pg from 'pg'
import { z } from 'zod'
import { execute, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { changeAudited } from '../../adapters/postgres/audit.ts'
import { noted } from '../../adapters/postgres/statement-parts.ts'
import type { WebhookAt, Webhooks } from '../../domain/ports/webhooks.ts'
import { tenantEventNames } from '../../domain/tenant-event.ts'
import { webhookStatuses } from '../../domain/webhooks/webhook.ts'

export function postgresWebhooks(pool: pg.Pool): Webhooks {
  return {
    create: ({ id, tenant, url, events }, sealedSecret, max, audit) =>
      inTransaction(pool, async (transaction) => {
        // Locks the tenant, so that concurrent inserts see each other's rows. A separate statement, because a statement
        // counts rows as of its start. Links, which only refer to the tenant, don't wait for this lock.
        await execute(transaction, sql`select from tenants where id = ${tenant} for no key update`)
        return row(
          transaction,
          WebhookRow,
          sql`
            with made as (
              insert into webhooks (id, tenant, url, events, secret)
              select ${id}, ${tenant}, ${url}, ${events}::text[], ${sealedSecret}
              where (select count(*) from webhooks where tenant = ${tenant}) < ${max}
              returning *
            ), ${noted(audit, 'made')}
            select ${webhookColumns} from made as webhooks`,
        )
      }),
    find: (tenant, id) =>
      row(pool, WebhookRow, sql`select ${webhookColumns} from webhooks where ${isAt({ tenant, id })}`),
    list: (tenant) =>
      rows(pool, WebhookRow, sql`select ${webhookColumns} from webhooks where tenant = ${tenant} order by id`),
    delete: (tenant, id, audit) =>
      changeAudited(pool, audit, (transaction) =>
        execute(transaction, sql`delete from webhooks where ${isAt({ tenant, id })}`),
      ),
    rotateSecret: (at, sealedSecret, { overlapSeconds, maxEarlier }, audit) =>
      changeAudited(pool, audit, async (transaction) => {
        // Serializes rotations, so that no secret is lost and the max holds. Uses clock_timestamp(), because now() is
        // when the wait began.
        await execute(transaction, sql`select from webhooks where ${isAt(at)} for update`)
        return execute(
          transaction,
          sql`
            with kept as (
              insert into earlier_webhook_secrets (webhook, secret, until)
              select id, secret, clock_timestamp() + make_interval(secs => ${overlapSeconds}) from webhooks
              where ${isAt(at)} and ${maxEarlier} > (
                select count(*) from earlier_webhook_secrets where webhook = webhooks.id and until > now())
              returning webhook
            )
            update webhooks set secret = ${sealedSecret}, updated_at = now() from kept
            where webhooks.id = kept.webhook`,
        )
      }),
    async forgetSecrets() {
      await execute(pool, sql`delete from earlier_webhook_secrets where until <= now()`)
    },
    enable: (at, audit) =>
      changeAudited(pool, audit, (transaction) =>
        execute(
          transaction,
          sql`update webhooks set status = 'active', updated_at = now() where ${isAt(at)} and status = 'disabled'`,
        ),
      ),
    disable: (at, audit) =>
      changeAudited(pool, audit, async (transaction) => {
        await execute(
          transaction,
          sql`
            update webhook_deliveries set status = 'dead', failure_reason = 'webhook_disabled', due_at = null
            where webhook = ${at.id} and status = 'pending'`,
        )
        return execute(
          transaction,
          sql`update webhooks set status = 'disabled', updated_at = now() where ${isAt(at)} and status = 'active'`,
        )
      }),
  }
}

const isAt = ({ tenant, id }: WebhookAt): Sql => sql`tenant = ${tenant} and id = ${id}`

const WebhookColumns = z.object({
  id: z.string(),
  tenant: z.string(),
  url: z.string(),
  events: z.array(z.enum(tenantEventNames)),
  status: z.enum(webhookStatuses),
  createdAt: z.date(),
  updatedAt: z.date(),
})

export const WebhookRow = WebhookColumns.extend({ previousSecretsExpireAt: z.array(z.date()) })

/** For a table or CTE named `webhooks`. */
export const webhookColumns = sql`${sql.columns(WebhookColumns)}, array(
  select until from earlier_webhook_secrets where webhook = webhooks.id and until > now() order by until
) as "previousSecretsExpireAt"`

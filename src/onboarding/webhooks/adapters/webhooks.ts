import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import { changeAudited } from '../../adapters/postgres/audit.ts'
import type { LedgerSchema, WebhookTable } from '../../adapters/postgres/schema.ts'
import { noted } from '../../adapters/postgres/statement-parts.ts'
import type { WebhookAt, Webhooks } from '../../domain/ports/webhooks.ts'
import type { Webhook } from '../../domain/webhook.ts'

export function postgresWebhooks(db: Database<LedgerSchema>): Webhooks {
  return {
    create: ({ id, tenant, url, events }, sealedSecret, most, audit) =>
      db.transaction().execute(async (transaction) => {
        // One after the other for each tenant: who counts in the same moment as another sees neither's. It takes a
        // statement of its own, because what a statement counts was settled before it waits; and links, which only
        // refer to the tenant, do not wait for it.
        await sql`select from tenants where id = ${tenant} for no key update`.execute(transaction)
        const { rows } = await sql<Selectable<WebhookTable>>`
          with made as (
            insert into webhooks (id, tenant, url, events, secret)
            select ${id}, ${tenant}, ${url}, ${events}::text[], ${sealedSecret}
            where (select count(*) from webhooks where tenant = ${tenant}) < ${most}
            returning *
          ), ${noted(audit, 'made')}
          select * from made`.execute(transaction)
        return rows[0] && toWebhook({ ...rows[0], earlier_until: [] })
      }),
    async find(tenant, id) {
      const row = await webhooksWithEarlier(db).where('tenant', '=', tenant).where('id', '=', id).executeTakeFirst()
      return row && toWebhook(row)
    },
    async list(tenant) {
      const rows = await webhooksWithEarlier(db).where('tenant', '=', tenant).orderBy('id').execute()
      return rows.map(toWebhook)
    },
    delete: (tenant, id, audit) =>
      changeAudited(db, audit, async (transaction) => {
        const query = transaction.deleteFrom('webhooks').where('tenant', '=', tenant).where('id', '=', id)
        return (await query.executeTakeFirst()).numDeletedRows
      }),
    rotateSecret: (at, sealedSecret, { overlapSeconds, mostEarlier }, audit) =>
      changeAudited(db, audit, async (transaction) => {
        // One rotation after the other, each in sight of the one before: so no secret is lost, and their number holds.
        // Its time is the clock's, because now() is when the waiting began.
        await sql`select from webhooks where ${isAt(at)} for update`.execute(transaction)
        const { numAffectedRows } = await sql`
          with kept as (
            insert into earlier_webhook_secrets (webhook, secret, until)
            select id, secret, clock_timestamp() + make_interval(secs => ${overlapSeconds}) from webhooks
            where ${isAt(at)} and ${mostEarlier} > (
              select count(*) from earlier_webhook_secrets where webhook = webhooks.id and until > now())
            returning webhook
          )
          update webhooks set secret = ${sealedSecret}, updated_at = now() from kept
          where webhooks.id = kept.webhook`.execute(transaction)
        return numAffectedRows ?? 0n
      }),
    async forgetSecrets() {
      await db.deleteFrom('earlier_webhook_secrets').where(sql<SqlBool>`until <= now()`).execute()
    },
    enable: (at, audit) =>
      changeAudited(db, audit, async (transaction) => {
        const query = transaction.updateTable('webhooks').set({ status: 'active', updated_at: sql`now()` })
        return (await query.where(isAt(at)).where('status', '=', 'disabled').executeTakeFirst()).numUpdatedRows
      }),
    disable: (at, audit) =>
      changeAudited(db, audit, async (transaction) => {
        await transaction
          .updateTable('webhook_deliveries')
          .set({ status: 'dead', trouble: 'webhook_disabled', due_at: null })
          .where('webhook', '=', at.id)
          .where('status', '=', 'pending')
          .execute()
        const query = transaction.updateTable('webhooks').set({ status: 'disabled', updated_at: sql`now()` })
        return (await query.where(isAt(at)).where('status', '=', 'active').executeTakeFirst()).numUpdatedRows
      }),
  }
}

const isAt = ({ tenant, id }: WebhookAt) => sql<SqlBool>`tenant = ${tenant} and id = ${id}`

export const webhooksWithEarlier = (db: Database<LedgerSchema>) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .select(
      sql<Date[]>`array(
        select until from earlier_webhook_secrets where webhook = webhooks.id and until > now() order by until
      )`.as('earlier_until'),
    )

export const toWebhook = (row: Selectable<WebhookTable> & { earlier_until: Date[] }): Webhook => ({
  id: row.id,
  tenant: row.tenant,
  url: row.url,
  events: row.events,
  status: row.status,
  earlierSecretsUntil: row.earlier_until,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { Webhook } from '../../domain/webhook.ts'
import type { WebhookAt, Webhooks } from '../../domain/webhook-ports.ts'
import { changeAudited } from './audit.ts'
import type { LedgerSchema, WebhookTable } from './schema.ts'
import { inSeconds, noted } from './statement-parts.ts'

export function postgresWebhooks(db: Database<LedgerSchema>): Webhooks {
  return {
    async create({ id, tenant, url, events }, sealedSecret, most, audit) {
      const { rows } = await sql<Selectable<WebhookTable>>`
        with made as (
          insert into webhooks (id, tenant, url, events, secret)
          select ${id}, ${tenant}, ${url}, ${events}::text[], ${sealedSecret}
          where (select count(*) from webhooks where tenant = ${tenant}) < ${most}
          returning *
        ), ${noted(audit, 'made')}
        select * from made`.execute(db)
      return rows[0] && toWebhook(rows[0])
    },
    async find(tenant, id) {
      const query = db.selectFrom('webhooks').selectAll().where('tenant', '=', tenant).where('id', '=', id)
      const row = await query.executeTakeFirst()
      return row && toWebhook(row)
    },
    async list(tenant) {
      const rows = await db.selectFrom('webhooks').selectAll().where('tenant', '=', tenant).orderBy('id').execute()
      return rows.map(toWebhook)
    },
    delete: (tenant, id, audit) =>
      changeAudited(db, audit, async (transaction) => {
        const query = transaction.deleteFrom('webhooks').where('tenant', '=', tenant).where('id', '=', id)
        return (await query.executeTakeFirst()).numDeletedRows
      }),
    rotateSecret: (at, sealedSecret, overlapSeconds, audit) =>
      changeAudited(db, audit, async (transaction) => {
        const query = transaction.updateTable('webhooks').set({
          secret: sealedSecret,
          previous_secret: sql`secret`,
          previous_secret_until: inSeconds(overlapSeconds),
          updated_at: sql`now()`,
        })
        return (await query.where(isAt(at)).executeTakeFirst()).numUpdatedRows
      }),
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

const toWebhook = (row: Selectable<WebhookTable>): Webhook => ({
  id: row.id,
  tenant: row.tenant,
  url: row.url,
  events: row.events,
  status: row.status,
  previousSecretUntil: row.previous_secret_until ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

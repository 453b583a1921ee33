// Everything oidc-provider wants to remember (sessions, grants, codes, tokens), one row each.
import { sql } from 'kysely'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { FileboxDatabase } from './database.ts'

export type Records = Adapter

export const recordsOf =
  (db: FileboxDatabase) =>
  (model: string): Records => {
    const alive = () =>
      db
        .selectFrom('records')
        .select(sql<AdapterPayload>`payload`.as('payload'))
        .where('model', '=', model)
        .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', new Date())]))
    return {
      async upsert(id, payload, expiresIn) {
        const row = {
          payload: JSON.stringify(payload),
          grant_id: payload.grantId ?? null,
          uid: payload.uid ?? null,
          expires_at: expiresIn ? new Date(Date.now() + expiresIn * 1000) : null,
        }
        await db
          .insertInto('records')
          .values({ model, id, ...row })
          .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(row))
          .execute()
      },
      find: async (id) => (await alive().where('id', '=', id).executeTakeFirst())?.payload,
      findByUid: async (uid) => (await alive().where('uid', '=', uid).executeTakeFirst())?.payload,
      // The device flow is off, and nothing else has user codes.
      findByUserCode: async () => undefined,
      async consume(id) {
        const consumed = JSON.stringify({ consumed: Math.floor(Date.now() / 1000) })
        await db
          .updateTable('records')
          .set({ payload: sql`payload || ${consumed}::jsonb` })
          .where('model', '=', model)
          .where('id', '=', id)
          .execute()
      },
      async destroy(id) {
        await db.deleteFrom('records').where('model', '=', model).where('id', '=', id).execute()
      },
      async revokeByGrantId(grantId) {
        await db.deleteFrom('records').where('model', '=', model).where('grant_id', '=', grantId).execute()
      },
    }
  }

/** Codes and sessions of days past; nobody asks for them again, so nobody else would remove them. */
export async function forgetExpired(db: FileboxDatabase): Promise<void> {
  await db.deleteFrom('records').where('expires_at', '<', new Date()).execute()
}

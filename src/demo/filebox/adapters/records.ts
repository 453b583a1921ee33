// The store of oidc-provider: sessions, grants, codes and tokens.
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type pg from 'pg'

export type Records = Adapter

const alive = 'select payload from records where model = $1 and (expires_at is null or expires_at > now())'

const keep = `
  insert into records (model, id, payload, grant_id, uid, expires_at) values ($1, $2, $3, $4, $5, $6)
  on conflict (model, id) do update set
    payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid, expires_at = excluded.expires_at`

export const recordsOf =
  (pool: pg.Pool) =>
  (model: string): Records => {
    const find = async (condition: string, value: string) =>
      (await pool.query<{ payload: AdapterPayload }>(`${alive} and ${condition}`, [model, value])).rows[0]?.payload
    return {
      async upsert(id, payload, expiresIn) {
        const expiresAt = expiresIn ? new Date(Date.now() + expiresIn * 1000) : null
        const { grantId = null, uid = null } = payload
        await pool.query(keep, [model, id, JSON.stringify(payload), grantId, uid, expiresAt])
      },
      find: (id) => find('id = $2', id),
      findByUid: (uid) => find('uid = $2 limit 1', uid),
      // Only the device flow has user codes, and it is off.
      findByUserCode: async () => undefined,
      async consume(id) {
        const consumed = JSON.stringify({ consumed: Math.floor(Date.now() / 1000) })
        await pool.query('update records set payload = payload || $3::jsonb where model = $1 and id = $2', [
          model,
          id,
          consumed,
        ])
      },
      async destroy(id) {
        await pool.query('delete from records where model = $1 and id = $2', [model, id])
      },
      async revokeByGrantId(grantId) {
        await pool.query('delete from records where model = $1 and grant_id = $2', [model, grantId])
      },
    }
  }

export async function forgetExpired(pool: pg.Pool): Promise<void> {
  await pool.query('delete from records where expires_at < now()')
}

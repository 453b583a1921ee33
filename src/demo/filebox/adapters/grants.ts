// Grants by account and app. oidc-provider's adapter can't be queried by them.
import type pg from 'pg'

type GrantedApp = { grantId: string; clientId: string; scope: string; since: Date }

export type Grants = ReturnType<typeof grantsOf>

type GrantPayload = { clientId: string; accountId: string; iat: number; openid?: { scope?: string } }

const ofAccount = `
  select id, payload from records
  where model = 'Grant' and payload->>'accountId' = $1 and (expires_at is null or expires_at > now())`

export function grantsOf(pool: pg.Pool) {
  return {
    async idFor(accountId: string, clientId: string): Promise<string | undefined> {
      const { rows } = await pool.query(`${ofAccount} and payload->>'clientId' = $2 limit 1`, [accountId, clientId])
      return rows[0]?.id
    },
    async list(accountId: string): Promise<GrantedApp[]> {
      const { rows } = await pool.query<{ id: string; payload: GrantPayload }>(ofAccount, [accountId])
      return rows.map(({ id, payload }) => ({
        grantId: id,
        clientId: payload.clientId,
        scope: payload.openid?.scope ?? '',
        since: new Date(payload.iat * 1000),
      }))
    },
    /** Removes the grant with its codes and tokens. No-op for a grant of another account. */
    async revoke(accountId: string, grantId: string): Promise<void> {
      await pool.query(
        `with gone as (
           delete from records where model = 'Grant' and id = $1 and payload->>'accountId' = $2 returning id
         )
         delete from records using gone where records.grant_id = gone.id`,
        [grantId, accountId],
      )
    },
  }
}

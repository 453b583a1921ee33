// What account owners allowed to which app: the question oidc-provider's own records cannot be asked.
import { sql } from 'kysely'
import type { FileboxDatabase } from './database.ts'

export type GrantedApp = { grantId: string; clientId: string; scope: string; since: Date }

export type Grants = ReturnType<typeof grantsOf>

type GrantPayload = { clientId: string; accountId: string; iat: number; openid?: { scope?: string } }

export function grantsOf(db: FileboxDatabase) {
  const ofAccount = (accountId: string) =>
    db
      .selectFrom('records')
      .select(['id', sql<GrantPayload>`payload`.as('payload')])
      .where('model', '=', 'Grant')
      .where(sql`payload->>'accountId'`, '=', accountId)
      .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', new Date())]))
  return {
    async idFor(accountId: string, clientId: string): Promise<string | undefined> {
      const row = await ofAccount(accountId).where(sql`payload->>'clientId'`, '=', clientId).executeTakeFirst()
      return row?.id
    },
    async list(accountId: string): Promise<GrantedApp[]> {
      return (await ofAccount(accountId).execute()).map(({ id, payload }) => ({
        grantId: id,
        clientId: payload.clientId,
        scope: payload.openid?.scope ?? '',
        since: new Date(payload.iat * 1000),
      }))
    },
    /** The grant and every code and token that came from it, in one statement; somebody else's is left alone. */
    async revoke(accountId: string, grantId: string): Promise<void> {
      await sql`
        with gone as (
          delete from records
          where model = 'Grant' and id = ${grantId} and payload->>'accountId' = ${accountId}
          returning id
        )
        delete from records using gone where records.grant_id = gone.id`.execute(db)
    },
  }
}

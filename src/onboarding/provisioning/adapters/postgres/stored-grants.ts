import { z } from 'zod'
import { execute, maybe, one, type Queryable, row, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { Count } from '../../../adapters/postgres/schema.ts'
import type { StoredGrants } from '../../../domain/ports/connections.ts'
import { grantSlots } from '../../../domain/stored-grant.ts'

export function postgresStoredGrants(db: Queryable): StoredGrants {
  return {
    find: (connectionId, slot) =>
      row(
        db,
        GrantRow,
        // An expired grant is not returned, even if it is not deleted yet.
        sql`
          select ${columns} from stored_grants where connection_id = ${connectionId} and slot = ${slot}
            and (keep_until is null or keep_until > now())`,
      ),
    async keepTrialRefresh(linkId, sealed) {
      await execute(db, sql`update stored_grants set trial_refresh = ${sealed} where link_id = ${linkId}`)
    },
    async sharesConsent({ integration, tenant, account, except = '', ...origin }) {
      const found = await execute(
        db,
        sql`
          select from connections left join stored_grants on connection_id = connections.id and slot = 'current'
          where ${isAccountOf(tenant, account)} and status <> 'disconnected' and connections.id <> ${except}
            and (${isOf(origin)} or (client_id is null and integration = ${integration}))
          limit 1`,
      )
      return found > 0
    },
    async countLive({ tenant, account, ...origin }) {
      // Across integrations: several products of a provider may share a client.
      const { count } = await one(
        db,
        Count,
        sql`
          select count(*)::integer as count from stored_grants join connections on connections.id = connection_id
          where ${isAccountOf(tenant, account)} and ${isOf(origin)} and status <> 'disconnected'`,
      )
      return count
    },
    expired: (limit) =>
      rows(
        db,
        GrantRow,
        sql`select ${columns} from stored_grants where keep_until <= now() order by keep_until limit ${limit}`,
      ),
    async wipe(linkId) {
      await execute(db, sql`delete from stored_grants where link_id = ${linkId}`)
    },
  }
}

/** `isSameServer` in SQL: NULLs are not compared. */
const isAccountOf = (
  tenant: string,
  { id, claimed = false }: { id: string; claimed?: boolean | undefined },
): Sql => sql`
  (account_id = ${id} and (tenant = ${tenant} or not (account_claimed or ${claimed}::boolean)))`

const isOf = ({ clientId, issuer = null, tokenEndpoint = null }: Origin): Sql => sql`
  (client_id = ${clientId} and (issuer = ${issuer}::text or token_endpoint = ${tokenEndpoint}::text
    or coalesce(issuer <> ${issuer}::text, token_endpoint <> ${tokenEndpoint}::text) is null))`

type Origin = { clientId: string; issuer?: string | null | undefined; tokenEndpoint?: string | null | undefined }

const GrantRow = z.object({
  linkId: z.string(),
  connectionId: z.string(),
  slot: z.enum(grantSlots),
  sealed: maybe(z.string()),
  trialRefresh: maybe(z.string()),
  fingerprint: maybe(z.string()),
  clientId: maybe(z.string()),
  issuer: maybe(z.string()),
  tokenEndpoint: maybe(z.string()),
  rotates: z.boolean(),
  keepUntil: maybe(z.date()),
  createdAt: z.date(),
})

const columns = sql.columns(GrantRow)

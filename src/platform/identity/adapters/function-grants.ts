import { createHash } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import type { FunctionGrants } from '../domain/function-access.ts'

const Row = z.object({
  id: z.string(),
  workspace: z.string(),
  name: z.string(),
  functionId: z.string(),
  accountId: z.string(),
  accountLabel: z.string(),
  endUserId: maybe(z.string()),
  clientId: z.string(),
  clientName: z.string(),
  redirectTo: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.date(),
})

const columns = sql`g.id, g.workspace, g.function_name as name, g.function_id as "functionId",
  g.account_id as "accountId", g.account_label as "accountLabel", g.end_user_id as "endUserId",
  g.client_id as "clientId", g.client_name as "clientName", g.redirect_to as "redirectTo",
  g.created_at as "createdAt"`

/** Each login of an end user has its own account. */
const holder = (grant: Sql) =>
  sql`${grant}.function_id, coalesce(${grant}.end_user_id, ${grant}.account_id), ${grant}.client_id`

/** A later function with the same name does not inherit grants. */
const functionExists = sql`exists (select from resources where resources.id = function_id)`

/** The authorization server's record decides, because an app may have revoked the grant there. */
const holds = (grant: Sql) => sql`exists (select from oidc_records r
  where r.model = 'Grant' and r.id_hash = ${grant}.grant_hash and (r.expires_at is null or r.expires_at > now()))`

export const ofDeletedFunction = (grantHash: Sql): Sql =>
  sql`exists (select from function_grants where grant_hash = ${grantHash} and not ${functionExists})`

export function postgresFunctionGrants(pool: pg.Pool): FunctionGrants {
  return {
    async add(grantId, grant, by) {
      const { id, workspace, name, functionId, scopes } = grant
      const { accountId, accountLabel, endUserId, clientId, clientName, redirectTo } = grant
      const hash = createHash('sha256').update(grantId).digest()
      const used = sql`used as (update oauth_clients set used_at = now() where client_id = ${clientId}),`
      const change = sql`insert into function_grants (grant_hash, id, workspace, function_name, function_id, account_id,
            account_label, end_user_id, client_id, client_name, redirect_to, scopes)
          values (${hash}, ${id}, ${workspace}, ${name}, ${functionId}, ${accountId}, ${accountLabel},
            ${endUserId ?? null}, ${clientId}, ${clientName}, ${redirectTo}, ${scopes}) returning *`
      const written = by
        ? withAudit(change, about, auditEntry(by, 'functiongrant.created'), used)
        : sql`with ${used} changed as (${change})`
      await execute(pool, sql`${written} select from changed`)
    },

    list: ({ workspace, name }, endUserId) =>
      rows(
        pool,
        Row,
        // A client that asked for more scopes later has several grants. The newest is shown, with all scopes.
        sql`select * from (
            select distinct on (${holder(sql`g`)}) ${columns}, array(
              select distinct unnest(h.scopes) as scope from function_grants h
              where (${holder(sql`h`)}) = (${holder(sql`g`)}) and ${holds(sql`h`)} order by scope) as scopes
            from function_grants g where g.workspace = ${workspace} and g.function_name = ${name}
              and (${endUserId ?? null}::text is null or g.end_user_id = ${endUserId ?? null})
              and ${holds(sql`g`)} and ${functionExists}
            order by ${holder(sql`g`)}, g.created_at desc, g.id) newest
          order by "createdAt" desc, id limit 1000`,
      ),

    revoke: ({ workspace, name }, id, by) =>
      row(
        pool,
        Row,
        sql`${revoking(
          sql`(${holder(sql`g`)}) in (select ${holder(sql`h`)} from function_grants h
            where h.workspace = ${workspace} and h.function_name = ${name} and h.id = ${id})`,
          by,
        )}
          select ${columns}, g.scopes from changed g where g.id = ${id}`,
      ),

    async removeEnded() {
      await execute(
        pool,
        sql`delete from function_grants g where not ${holds(sql`g`)} and g.created_at < now() - interval '1 hour'`,
      )
      await endFunctionGrants(pool, sql`not ${functionExists}`, functionEnd)
    },
  }
}

/** Refresh tokens and codes refer to the grant by the same hash. */
const revoking = (which: Sql, by: Actor): Sql => {
  const change = sql`delete from function_grants g where ${which} returning g.*`
  return sql`${withAudit(change, about, auditEntry(by, 'functiongrant.revoked'))},
    ended as (delete from oidc_records r using changed c
      where r.grant_hash = c.grant_hash or (r.model = 'Grant' and r.id_hash = c.grant_hash))`
}

export async function endFunctionGrants(db: Queryable, which: Sql, by: Actor): Promise<void> {
  await execute(db, sql`${revoking(which, by)} select from changed`)
}

const functionEnd: Actor = { kind: 'platform', id: '', label: 'function', credential: 'deletion' }

const about = { workspace: sql`c.workspace`, kind: sql`'function'`, name: sql`c.function_name`, id: sql`c.id` }

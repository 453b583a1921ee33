import type pg from 'pg'
import { z } from 'zod'
import { execute, row, type Sql, sql } from '../../../kit/database/sql.ts'
import { maxUnusedApps } from '../domain/client-registration.ts'
import type { NewOAuthClient, OAuthClient, OAuthClients } from '../domain/ports.ts'

const Row = z
  .object({
    clientId: z.string(),
    name: z.string(),
    secretHash: z.instanceof(Buffer).nullable(),
    redirectUris: z.array(z.string()),
    workspace: z.string().nullable(),
    role: z.enum(['admin', 'member']).nullable(),
    scopes: z.array(z.string()).nullable(),
    grant: z.string().nullable(),
    selfRegistered: z.boolean(),
  })
  .transform(
    ({ workspace, role, scopes, grant, secretHash, ...row }): OAuthClient => ({
      ...row,
      secretHash: secretHash ?? undefined,
      serviceAccount:
        workspace !== null && role !== null ? { workspace, role, scopes, grant: grant ?? undefined } : undefined,
    }),
  )

export function postgresOAuthClients(pool: pg.Pool): OAuthClients {
  return {
    find: (clientId) =>
      row(
        pool,
        Row,
        sql`select client_id as "clientId", name, secret_hash as "secretHash", redirect_uris as "redirectUris",
            null as workspace, null as role, null::text[] as scopes, null as grant, self_registered as "selfRegistered"
          from oauth_clients where client_id = ${clientId}
          union all
          select client_id, name, secret_hash, '[]', workspace, role, scopes, grant_name, false from service_accounts
          where client_id = ${clientId} and secret_hash is not null`,
      ),

    async add(client) {
      await execute(pool, insert(client))
    },

    async put(client) {
      await execute(
        pool,
        sql`${insert(client)} on conflict (client_id) do update
          set name = excluded.name, secret_hash = excluded.secret_hash, redirect_uris = excluded.redirect_uris`,
      )
    },

    async register({ clientId, name, redirectUris }) {
      await execute(
        pool,
        sql`with oldest as (
            select client_id from oauth_clients where self_registered and used_at is null
            order by created_at desc offset ${maxUnusedApps - 1} for update skip locked),
          removed as (delete from oauth_clients where client_id in (select client_id from oldest))
          insert into oauth_clients (client_id, name, redirect_uris, self_registered)
          values (${clientId}, ${name}, ${JSON.stringify(redirectUris)}, true)`,
      )
    },

    async removeUnused() {
      await execute(
        pool,
        sql`delete from oauth_clients where self_registered
          and coalesce(used_at + interval '400 days', created_at + interval '1 hour') < now()`,
      )
    },
  }
}

const insert = ({ clientId, name, secretHash, redirectUris }: NewOAuthClient): Sql => sql`
  insert into oauth_clients (client_id, name, secret_hash, redirect_uris)
  values (${clientId}, ${name}, ${secretHash ?? null}, ${JSON.stringify(redirectUris)})`

import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import type { NewOAuthClient, OAuthClient, OAuthClients } from '../domain/ports.ts'

const Row = z
  .object({
    clientId: z.string(),
    name: z.string(),
    secretHash: z.instanceof(Buffer).nullable(),
    redirectUris: z.array(z.string()),
    workspace: z.string().nullable(),
    role: z.enum(['admin', 'member']).nullable(),
  })
  .transform(
    ({ workspace, role, secretHash, ...row }): OAuthClient => ({
      ...row,
      secretHash: secretHash ?? undefined,
      serviceAccount: workspace !== null && role !== null ? { workspace, role } : undefined,
    }),
  )

export function postgresOAuthClients(pool: pg.Pool): OAuthClients {
  return {
    async find(clientId) {
      const { rows } = await pool.query(
        `select client_id as "clientId", name, secret_hash as "secretHash", redirect_uris as "redirectUris",
           null as workspace, null as role
         from oauth_clients where client_id = $1
         union all
         select client_id, name, secret_hash, '[]', workspace, role from service_accounts
         where client_id = $1 and secret_hash is not null`,
        [clientId],
      )
      return rows[0] && stored(Row, rows[0])
    },

    async add(client) {
      await pool.query(insert, valuesOf(client))
    },

    async put(client) {
      await pool.query(
        `${insert} on conflict (client_id) do update
         set name = excluded.name, secret_hash = excluded.secret_hash, redirect_uris = excluded.redirect_uris`,
        valuesOf(client),
      )
    },
  }
}

const insert = 'insert into oauth_clients (client_id, name, secret_hash, redirect_uris) values ($1, $2, $3, $4)'

const valuesOf = ({ clientId, name, secretHash, redirectUris }: NewOAuthClient) => [
  clientId,
  name,
  secretHash ?? null,
  JSON.stringify(redirectUris),
]

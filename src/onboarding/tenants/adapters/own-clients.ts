import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { execute, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { ClientUnreadable, clientSnapshot, type OAuthClient } from '../../domain/integration.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { sealContext } from '../../domain/seal-context.ts'

type OwnClients = Pick<Tenants, 'ownClient' | 'ownClients' | 'putOwnClient' | 'deleteOwnClient'>

export function postgresOwnClients(pool: pg.Pool, box: SealedBox, tokens: Fingerprints): OwnClients {
  const open = (sealed: string, at: string) => {
    try {
      return box.open(sealed, at)
    } catch (cause) {
      throw new ClientUnreadable('the secret of an OAuth client cannot be decrypted', { cause })
    }
  }
  const toClient = (tenant: string, integration: string, { clientId: id, clientSecret: sealed }: ClientRow) => ({
    id,
    secret: sealed ? open(sealed, sealContext.oauthClient(tenant, integration)) : undefined,
  })
  const snapshot = (integration: string, { id, secret }: OAuthClient) =>
    clientSnapshot(integration, id, secret && tokens.fingerprint(secret))
  /** A client whose secret can't be decrypted (lost key) can still be replaced or deleted. */
  const snapshotOf = (tenant: string, integration: string, client: ClientRow) => {
    try {
      return snapshot(integration, toClient(tenant, integration, client))
    } catch {
      return clientSnapshot(integration, client.clientId, 'unreadable')
    }
  }

  return {
    async ownClient(tenant, integration) {
      const found = await row(pool, ClientRow, clientAt(tenant, integration))
      return found && toClient(tenant, integration, found)
    },
    ownClients: (tenant) =>
      rows(
        pool,
        OwnClientRow,
        sql`
          select integration, client_id as "clientId", client_secret is not null as "hasSecret",
            created_at as "createdAt", updated_at as "updatedAt"
          from tenant_oauth_clients where tenant = ${tenant} order by integration`,
      ),
    async putOwnClient(tenant, integration, client, audit) {
      const sealed = client.secret ? box.seal(client.secret, sealContext.oauthClient(tenant, integration)) : null
      await inTransaction(pool, async (transaction) => {
        const made = await execute(
          transaction,
          sql`
            insert into tenant_oauth_clients (tenant, integration, client_id, client_secret)
            values (${tenant}, ${integration}, ${client.id}, ${sealed}) on conflict do nothing`,
        )
        // Locked, so that `before` in the audit log is correct with concurrent writers.
        const known =
          made === 0 ? await row(transaction, ClientRow, sql`${clientAt(tenant, integration)} for update`) : undefined
        const before = known && snapshotOf(tenant, integration, known)
        if (made === 0) {
          await execute(
            transaction,
            sql`
              update tenant_oauth_clients set client_id = ${client.id}, client_secret = ${sealed}, updated_at = now()
              where tenant = ${tenant} and integration = ${integration}`,
          )
        }
        await noteAudit(transaction, { ...audit, before, after: snapshot(integration, client) })
      })
    },
    deleteOwnClient: (tenant, integration, audit) =>
      inTransaction(pool, async (transaction) => {
        const gone = await row(
          transaction,
          ClientRow,
          sql`
            delete from tenant_oauth_clients where tenant = ${tenant} and integration = ${integration}
            returning ${sql.columns(ClientRow)}`,
        )
        if (!gone) return false
        await noteAudit(transaction, { ...audit, before: snapshotOf(tenant, integration, gone) })
        return true
      }),
  }
}

export type Fingerprints = Pick<Tokens, 'fingerprint'>

const ClientRow = z.object({ clientId: z.string(), clientSecret: z.string().nullable() })
type ClientRow = z.infer<typeof ClientRow>

const OwnClientRow = z.object({
  integration: z.string(),
  clientId: z.string(),
  hasSecret: z.boolean(),
  createdAt: z.date(),
  updatedAt: z.date(),
})

const clientAt = (tenant: string, integration: string): Sql => sql`
  select ${sql.columns(ClientRow)} from tenant_oauth_clients where tenant = ${tenant} and integration = ${integration}`

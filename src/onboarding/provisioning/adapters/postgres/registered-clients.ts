import type pg from 'pg'
import { z } from 'zod'
import { ttlCache } from '../../../../kit/cache/ttl-cache.ts'
import type { SealedBox } from '../../../../kit/crypto/sealed-box.ts'
import { execute, maybe, one, row, sql } from '../../../../kit/database/sql.ts'
import { inTransaction } from '../../../../kit/database/transaction.ts'
import { noteAudit } from '../../../adapters/postgres/audit.ts'
import { ClientUnreadable } from '../../../domain/integration.ts'
import { type ClientPlace, clientOrigins, type RegisteredClient } from '../../../domain/mcp/registered-client.ts'
import type { RegisteredClients } from '../../../domain/ports/mcp-servers.ts'
import { sealContext } from '../../../domain/seal-context.ts'

export function postgresRegisteredClients(pool: pg.Pool, box: SealedBox): RegisteredClients {
  const toClient = ({ clientId, clientSecret: sealed, ...found }: Row): RegisteredClient => ({
    ...found,
    client: {
      id: clientId,
      secret: sealed === undefined ? undefined : open(box, sealed, found),
      redirectUri: found.redirectUri,
    },
  })
  return {
    async find(at) {
      const found = await row(pool, Row, clientAt(at))
      return found && toClient(found)
    },
    async save(at, { client, by, clientAuthentication, redirectUri, expiresAt }, replaces, audit) {
      const sealed = client.secret ? box.seal(client.secret, contextOf(at)) : null
      return inTransaction(pool, async (transaction) => {
        const saved = await execute(
          transaction,
          sql`
            insert into registered_clients (integration, issuer, by, client_id, client_secret, client_authentication,
              redirect_uri, expires_at)
            values (${at.integration}, ${at.issuer}, ${by}, ${client.id}, ${sealed}, ${clientAuthentication},
              ${redirectUri}, ${expiresAt ?? null})
            on conflict (integration, issuer) do update set by = excluded.by, client_id = excluded.client_id,
              client_secret = excluded.client_secret, client_authentication = excluded.client_authentication,
              redirect_uri = excluded.redirect_uri, expires_at = excluded.expires_at, registered_at = now(),
              confirmed_at = now(), forgotten_at = null
            where registered_clients.client_id = ${replaces ?? null}`,
        )
        if (saved > 0) await noteAudit(transaction, audit)
        return toClient(await one(transaction, Row, clientAt(at)))
      })
    },
    async confirm(at, clientId) {
      await execute(pool, sql`update registered_clients set confirmed_at = now() where ${isClient(at, clientId)}`)
    },
    markForgotten: (at, clientId, audit) =>
      inTransaction(pool, async (transaction) => {
        const isRegistered = sql`${isClient(at, clientId)} and by = 'registration'`
        const marked = await execute(
          transaction,
          sql`update registered_clients set forgotten_at = now() where ${isRegistered} and forgotten_at is null`,
        )
        if (marked > 0) await noteAudit(transaction, audit)
        return marked > 0 || (await execute(transaction, sql`select from registered_clients where ${isRegistered}`)) > 0
      }),
  }
}

const isClient = ({ integration, issuer }: ClientPlace, clientId: string) =>
  sql`integration = ${integration} and issuer = ${issuer} and client_id = ${clientId}`

const contextOf = ({ integration, issuer }: ClientPlace) => sealContext.registeredClient(integration, issuer)

function open(box: SealedBox, sealed: string, at: ClientPlace) {
  try {
    return box.open(sealed, contextOf(at))
  } catch (cause) {
    throw new ClientUnreadable('the secret of a registered OAuth client does not open', { cause })
  }
}

const Row = z.object({
  integration: z.string(),
  issuer: z.string(),
  by: z.enum(clientOrigins),
  clientId: z.string(),
  clientSecret: maybe(z.string()),
  clientAuthentication: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  redirectUri: z.string(),
  registeredAt: z.date(),
  confirmedAt: z.date(),
  forgottenAt: maybe(z.date()),
  expiresAt: maybe(z.date()),
})
type Row = z.infer<typeof Row>

const clientAt = ({ integration, issuer }: ClientPlace) => sql`
  select ${sql.columns(Row)} from registered_clients where integration = ${integration} and issuer = ${issuer}`

const memory = { ttlMs: 5_000, capacity: 1_000 }

export function rememberedClients(clients: RegisteredClients): RegisteredClients {
  const found = ttlCache((key) => clients.find(JSON.parse(key) as ClientPlace), memory)
  const keyOf = ({ integration, issuer }: ClientPlace) => JSON.stringify({ integration, issuer })
  const thenForget = async <T>(at: ClientPlace, done: Promise<T>): Promise<T> => {
    const result = await done
    found.forget(keyOf(at))
    return result
  }
  return {
    // Misses are not cached: another process may register the client at any time.
    find: async (at) => (await found.get(keyOf(at))) ?? found.refresh(keyOf(at)),
    save: (at, ...rest) => thenForget(at, clients.save(at, ...rest)),
    confirm: (at, ...rest) => thenForget(at, clients.confirm(at, ...rest)),
    markForgotten: (at, ...rest) => thenForget(at, clients.markForgotten(at, ...rest)),
  }
}

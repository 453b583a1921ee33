import type pg from 'pg'
import { z } from 'zod'
import { ttlCache } from '../../../../kit/cache/ttl-cache.ts'
import type { SealedBox } from '../../../../kit/crypto/sealed-box.ts'
import { execute, maybe, one, row, sql } from '../../../../kit/database/sql.ts'
import { inTransaction } from '../../../../kit/database/transaction.ts'
import { noteAudit } from '../../../adapters/postgres/audit.ts'
import { ClientUnreadable } from '../../../domain/integration.ts'
import { clientOrigins, type RegisteredClient } from '../../../domain/mcp/registered-client.ts'
import type { RegisteredAt, RegisteredClients } from '../../../domain/ports/mcp-servers.ts'
import { sealContext } from '../../../domain/seal-context.ts'

export function postgresRegisteredClients(pool: pg.Pool, box: SealedBox): RegisteredClients {
  const toClient = ({ clientId, clientSecret: sealed, ...found }: Row): RegisteredClient => ({
    ...found,
    client: {
      id: clientId,
      secret: sealed === undefined ? undefined : open(box, sealed, { clientId, issuer: found.issuer }),
      redirectUri: found.redirectUri,
    },
  })
  return {
    async newest(issuer) {
      const found = await row(pool, Row, newestOf(issuer))
      return found && toClient(found)
    },
    async find(at) {
      const found = await row(pool, Row, sql`${registered} where ${isClient(at)}`)
      return found && toClient(found)
    },
    async save(issuer, { client, by, clientAuthentication, redirectUri, scope, expiresAt }, replaces, audit) {
      const sealed = client.secret ? box.seal(client.secret, contextOf({ issuer, clientId: client.id })) : null
      return inTransaction(pool, async (transaction) => {
        await execute(transaction, sql`select pg_advisory_xact_lock(hashtextextended(${issuer}, 0))`)
        const known = await row(transaction, Row, newestOf(issuer))
        if (known && known.clientId !== replaces) return toClient(known)
        await execute(
          transaction,
          sql`
            insert into registered_clients (issuer, client_id, by, client_secret, client_authentication, redirect_uri,
              scope, expires_at, registered_at)
            values (${issuer}, ${client.id}, ${by}, ${sealed}, ${clientAuthentication}, ${redirectUri}, ${scope},
              ${expiresAt ?? null}, clock_timestamp())
            on conflict (issuer, client_id) do update set by = excluded.by, client_secret = excluded.client_secret,
              client_authentication = excluded.client_authentication, redirect_uri = excluded.redirect_uri,
              scope = excluded.scope, expires_at = excluded.expires_at, registered_at = excluded.registered_at,
              worked_at = null, forgotten_at = null`,
        )
        await noteAudit(transaction, audit)
        return toClient(await one(transaction, Row, newestOf(issuer)))
      })
    },
    async markWorking(at) {
      await execute(
        pool,
        sql`update registered_clients set worked_at = now() where ${isClient(at)} and worked_at is null`,
      )
    },
    markForgotten: (at, audit) =>
      inTransaction(pool, async (transaction) => {
        const isRegistered = sql`${isClient(at)} and by = 'registration'`
        const marked = await execute(
          transaction,
          sql`update registered_clients set forgotten_at = now() where ${isRegistered} and forgotten_at is null`,
        )
        if (marked > 0) await noteAudit(transaction, audit)
        return marked > 0 || (await execute(transaction, sql`select from registered_clients where ${isRegistered}`)) > 0
      }),
  }
}

const isClient = ({ issuer, clientId }: RegisteredAt) => sql`issuer = ${issuer} and client_id = ${clientId}`

const contextOf = ({ issuer, clientId }: RegisteredAt) => sealContext.registeredClient(issuer, clientId)

function open(box: SealedBox, sealed: string, at: RegisteredAt) {
  try {
    return box.open(sealed, contextOf(at))
  } catch (cause) {
    throw new ClientUnreadable('the secret of a registered OAuth client does not open', { cause })
  }
}

const Row = z.object({
  issuer: z.string(),
  by: z.enum(clientOrigins),
  clientId: z.string(),
  clientSecret: maybe(z.string()),
  clientAuthentication: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  redirectUri: z.string(),
  scope: z.string(),
  registeredAt: z.date(),
  workedAt: maybe(z.date()),
  forgottenAt: maybe(z.date()),
  expiresAt: maybe(z.date()),
})
type Row = z.infer<typeof Row>

const registered = sql`select ${sql.columns(Row)} from registered_clients`

const newestOf = (issuer: string) => sql`${registered} where issuer = ${issuer} order by registered_at desc limit 1`

const memory = { ttlMs: 5_000, capacity: 1_000 }

export function rememberedClients(clients: RegisteredClients): RegisteredClients {
  const newest = ttlCache((issuer) => clients.newest(issuer), memory)
  const found = ttlCache((key) => clients.find(JSON.parse(key) as RegisteredAt), memory)
  const keyOf = ({ issuer, clientId }: RegisteredAt) => JSON.stringify({ issuer, clientId })
  const forget = (at: RegisteredAt) => {
    newest.forget(at.issuer)
    found.forget(keyOf(at))
  }
  return {
    // Misses are not cached: another process may register the client at any time.
    newest: async (issuer) => (await newest.get(issuer)) ?? newest.refresh(issuer),
    find: async (at) => (await found.get(keyOf(at))) ?? found.refresh(keyOf(at)),
    async save(issuer, ...rest) {
      const saved = await clients.save(issuer, ...rest)
      forget({ issuer, clientId: saved.client.id })
      return saved
    },
    async markWorking(at) {
      const known = await found.get(keyOf(at))
      if (!known || known.workedAt) return
      await clients.markWorking(at)
      forget(at)
    },
    async markForgotten(at, audit) {
      const isRegistered = await clients.markForgotten(at, audit)
      forget(at)
      return isRegistered
    },
  }
}

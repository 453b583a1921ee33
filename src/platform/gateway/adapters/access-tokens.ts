import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, prepared, row, sql } from '../../../kit/database/sql.ts'
import { readableOrLost } from '../../shared/domain/failure.ts'
import { sealContext } from '../../shared/domain/seal-context.ts'
import type { Connection } from '../domain/connection.ts'
import type { AccessTokens } from '../domain/ports.ts'

const contextOf = ({ workspace, id }: Connection) => sealContext.accessToken(workspace, id)

const unreadContextOf = ({ workspace, id }: Connection) => sealContext.unreadAnswer(workspace, id)

const Row = z.object({ envelope: z.string(), goodUntil: z.date() })

export function postgresAccessTokens(pool: pg.Pool, box: SealedBox): AccessTokens {
  return {
    async find(connection) {
      const found = await row(
        pool,
        Row,
        prepared(sql`
          select envelope, good_until as "goodUntil" from access_tokens
          where resource_id = ${connection.id} and resource_version = ${connection.version} and envelope is not null`),
      )
      if (!found) return undefined
      const { envelope, goodUntil } = found
      const token = readableOrLost(() => box.open(envelope, contextOf(connection)))
      // An unreadable token is only a cached copy: an expired one makes the caller fetch another.
      return token ? { token, goodUntil, envelope } : { token: new Secret(''), goodUntil: new Date(0), envelope }
    },

    // A lease expires, so a process that dies while it fetches a token blocks others only briefly. Newer secrets take
    // over the lease: a token fetched with the old ones is useless.
    async lease({ id, version }, owner, until, seen) {
      const leased = await execute(
        pool,
        sql`insert into access_tokens (resource_id, resource_version, leased_by, leased_until)
          values (${id}, ${version}, ${owner}, ${until})
          on conflict (resource_id) do update
            set resource_version = excluded.resource_version, leased_by = excluded.leased_by,
              leased_until = excluded.leased_until, envelope = null,
              unread_answer = case when access_tokens.resource_version = excluded.resource_version
                then access_tokens.unread_answer end
          where access_tokens.resource_version < excluded.resource_version
            or (coalesce(access_tokens.leased_until, '-infinity') < now()
              and access_tokens.envelope is not distinct from ${seen?.envelope ?? null})`,
      )
      return leased === 1
    },

    async save(connection, owner, { token, goodUntil }) {
      const envelope = box.seal(token, contextOf(connection))
      await execute(
        pool,
        sql`update access_tokens
          set envelope = ${envelope}, good_until = ${goodUntil}, leased_by = null, leased_until = null,
            unread_answer = null
          where resource_id = ${connection.id} and resource_version = ${connection.version} and leased_by = ${owner}`,
      )
    },

    async release({ id }, owner) {
      await execute(
        pool,
        sql`update access_tokens set leased_by = null, leased_until = null
          where resource_id = ${id} and leased_by = ${owner}`,
      )
    },

    async findUnread(connection) {
      const found = await row(
        pool,
        z.object({ answer: z.string() }),
        sql`select unread_answer as answer from access_tokens
          where resource_id = ${connection.id} and resource_version = ${connection.version}
            and unread_answer is not null`,
      )
      return found && box.open(found.answer, unreadContextOf(connection))
    },

    async keepUnread(connection, owner, answer) {
      const sealed = answer ? box.seal(answer, unreadContextOf(connection)) : null
      await execute(
        pool,
        sql`update access_tokens set unread_answer = ${sealed}
          where resource_id = ${connection.id} and resource_version = ${connection.version} and leased_by = ${owner}`,
      )
    },
  }
}

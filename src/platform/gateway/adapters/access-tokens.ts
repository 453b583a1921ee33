import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { stored } from '../../../kit/database/stored.ts'
import type { Connection } from '../domain/connection.ts'
import type { AccessTokens } from '../domain/ports.ts'

const contextOf = ({ workspace, id }: Connection) => `access-token|${workspace}|${id}`

const Row = z.object({ envelope: z.string(), goodUntil: z.date() })

export function postgresAccessTokens(pool: pg.Pool, box: SealedBox): AccessTokens {
  return {
    async find(connection) {
      const { rows } = await pool.query({
        name: 'find-access-token',
        text: `select envelope, good_until as "goodUntil" from access_tokens
               where resource_id = $1 and resource_version = $2 and envelope is not null`,
        values: [connection.id, connection.version],
      })
      if (!rows[0]) return undefined
      const { envelope, goodUntil } = stored(Row, rows[0])
      return { token: box.open(envelope, contextOf(connection)), goodUntil, envelope }
    },

    // A lease ends by itself, so a process that dies while it fetches a token blocks nobody for long.
    // A newer version of the secrets takes the lease over: what the old holder fetches belongs to the old secrets.
    async lease(connection, owner, until, seen) {
      const { rowCount } = await pool.query(
        `insert into access_tokens (resource_id, resource_version, leased_by, leased_until) values ($1, $2, $3, $4)
         on conflict (resource_id) do update
           set resource_version = $2, leased_by = $3, leased_until = $4, envelope = null
         where access_tokens.resource_version < $2
            or (coalesce(access_tokens.leased_until, '-infinity') < now()
                and access_tokens.envelope is not distinct from $5)`,
        [connection.id, connection.version, owner, until, seen?.envelope ?? null],
      )
      return rowCount === 1
    },

    async save(connection, owner, { token, goodUntil }) {
      await pool.query(
        `update access_tokens set envelope = $4, good_until = $5, leased_by = null, leased_until = null
         where resource_id = $1 and resource_version = $2 and leased_by = $3`,
        [connection.id, connection.version, owner, box.seal(token, contextOf(connection)), goodUntil],
      )
    },

    async release(connection, owner) {
      await pool.query(
        'update access_tokens set leased_by = null, leased_until = null where resource_id = $1 and leased_by = $2',
        [connection.id, owner],
      )
    },
  }
}

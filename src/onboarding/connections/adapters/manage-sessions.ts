import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, one, row, sql } from '../../../kit/database/sql.ts'
import { changeAudited } from '../../adapters/postgres/audit.ts'
import { EndUserColumn } from '../../adapters/postgres/schema.ts'
import { inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import type { ManageSessions } from '../../domain/ports/connections.ts'

export function postgresManageSessions(pool: pg.Pool): ManageSessions {
  return {
    create: ({ id, tenant, endUser, returnUrl, ttlSeconds, openWithinSeconds }, tokenDigest, audit) =>
      one(
        pool,
        SessionRow,
        sql`
          with made as (
            insert into manage_sessions (id, token_digest, tenant, end_user, return_url, open_until, expires_at)
            values (${id}, ${tokenDigest}, ${tenant}, ${JSON.stringify(endUser)}, ${returnUrl ?? null},
              ${inSeconds(Math.min(openWithinSeconds, ttlSeconds))}, ${inSeconds(ttlSeconds)})
            returning *
          ), ${noted(audit, 'made')}
          select ${columns} from made as manage_sessions`,
      ),
    find: (id) => row(pool, SessionRow, sql`select ${columns} from manage_sessions where id = ${id}`),
    byToken: (tokenDigest) =>
      row(pool, SessionRow, sql`select ${columns} from manage_sessions where token_digest = ${tokenDigest}`),
    open: (tokenDigest, { known, fresh }) =>
      row(
        pool,
        SessionRow,
        sql`
          update manage_sessions set browser = coalesce(browser, ${fresh})
          where token_digest = ${tokenDigest} and revoked_at is null and expires_at > now()
            and ((browser is null and open_until > now()) or browser = any(${known}::text[]))
          returning ${columns}`,
      ),
    revoke: (id, audit) =>
      changeAudited(pool, audit, (transaction) =>
        execute(
          transaction,
          sql`update manage_sessions set revoked_at = now() where id = ${id} and revoked_at is null`,
        ),
      ),
    async forgetOld() {
      await execute(pool, sql`delete from manage_sessions where expires_at < ${inSeconds(-keptSeconds)}`)
    },
  }
}

const keptSeconds = 24 * 60 * 60

const SessionColumns = z.object({
  id: z.string(),
  tenant: z.string(),
  endUser: EndUserColumn,
  returnUrl: maybe(z.string()),
  browser: maybe(z.string()),
  expiresAt: z.date(),
  revokedAt: maybe(z.date()),
  createdAt: z.date(),
})

const SessionRow = SessionColumns.extend({ expired: z.boolean() })

const columns = sql`${sql.columns(SessionColumns, 'manage_sessions')}, manage_sessions.expires_at <= now() as expired`

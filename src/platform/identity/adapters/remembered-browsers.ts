import type pg from 'pg'
import { execute, row, sql } from '../../../kit/database/sql.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { type RememberedBrowsers, rememberedSeconds } from '../domain/function-access.ts'
import { FunctionUserRow, functionUserColumns } from './function-users.ts'

export function postgresRememberedBrowsers(pool: pg.Pool): RememberedBrowsers {
  return {
    async add(hash, opened, by) {
      // As old as the login, so that a sign-out in between counts.
      const change = sql`insert into remembered_browsers (token_hash, function_user, created_at, expires_at)
        select ${hash}, function_user, used_at, now() + ${rememberedSeconds}::integer * interval '1 second'
        from function_logins where token_hash = ${opened} and used_at is not null returning *`
      const entry = auditEntry(by, 'functionlogin.remembered')
      await execute(pool, sql`${withAudit(change, about, entry)} select from changed`)
    },

    find: (hash) =>
      row(
        pool,
        FunctionUserRow,
        sql`select ${functionUserColumns} from remembered_browsers b join function_users u on u.id = b.function_user
          where b.token_hash = ${hash} and b.expires_at > now()
            and (u.signed_out_at is null or b.created_at > u.signed_out_at)
            and exists (select from resources r where r.id = u.function_id)`,
      ),

    async remove(hash, by) {
      const change = sql`delete from remembered_browsers where token_hash = ${hash} returning *`
      const entry = auditEntry(by, 'functionlogin.forgotten')
      await execute(pool, sql`${withAudit(change, about, entry)} select from changed`)
    },

    async removeExpired() {
      await execute(pool, sql`delete from remembered_browsers where expires_at < now()`)
    },
  }
}

const ofUser = (column: string) =>
  sql`(select ${sql.identifier(column)} from function_users u where u.id = c.function_user)`

const about = {
  workspace: ofUser('workspace'),
  kind: sql`'function'`,
  name: ofUser('function_name'),
  id: ofUser('function_id'),
}

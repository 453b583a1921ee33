import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, row, rows, sql } from '../../../kit/database/sql.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import { type FunctionUsers, openLoginSeconds } from '../domain/function-access.ts'
import { grantIsLive, grantRevoked, lockGrant } from './grant-lineage.ts'

export const FunctionUserRow = z.object({
  id: z.string(),
  workspace: z.string(),
  name: z.string(),
  functionId: z.string(),
  endUserId: z.string(),
  label: z.string(),
  signedOutAt: maybe(z.date()),
})

export const functionUserColumns = sql`u.id, u.workspace, u.function_name as name, u.function_id as "functionId",
  u.end_user_id as "endUserId", u.label, u.signed_out_at as "signedOutAt"`

export function postgresFunctionUsers(pool: pg.Pool): FunctionUsers {
  return {
    find: (id) =>
      row(pool, FunctionUserRow, sql`select ${functionUserColumns} from function_users u where u.id = ${id}`),

    ofEndUser: (workspace, endUserId) =>
      rows(
        pool,
        FunctionUserRow,
        // Prefers users that do not end with a grant.
        sql`select distinct on (u.function_name, u.function_id) ${functionUserColumns} from function_users u
          where u.workspace = ${workspace} and u.end_user_id = ${endUserId}
          order by u.function_name, u.function_id, u.grant_name nulls first limit 1000`,
      ),

    async addLogin({ id, workspace, name, functionId, endUserId, label }, { hash, expiresAt, grant }, by) {
      const change = sql`insert into function_users
          (id, workspace, function_name, function_id, end_user_id, label, grant_name)
        select ${id}, ${workspace}, ${name}, ${functionId}, ${endUserId}, ${label}, ${grant ?? null}
        where ${grantIsLive(grant)}
        on conflict (function_id, end_user_id, (coalesce(grant_name, ''))) do update set label = excluded.label
        returning *`
      const entry = auditEntry(by, 'functionlogin.created')
      const found = await row(
        pool,
        FunctionUserRow,
        sql`${withAudit(change, about, entry, lockGrant(grant))},
          login as (insert into function_logins (token_hash, function_user, expires_at)
            select ${hash}, id, ${expiresAt} from changed)
          select ${functionUserColumns} from changed u`,
      )
      if (!found) throw grantRevoked()
      return found
    },

    findLogin: (hash) =>
      row(
        pool,
        FunctionUserRow,
        sql`select ${functionUserColumns} from function_logins l join function_users u on u.id = l.function_user
          where l.token_hash = ${hash} and l.used_at is null and l.expires_at > now()`,
      ),

    openLogin: (hash, opened) =>
      row(
        pool,
        FunctionUserRow,
        sql`with l as (
            update function_logins set token_hash = ${opened}, used_at = now(),
              expires_at = now() + ${openLoginSeconds}::integer * interval '1 second'
            where token_hash = ${hash} and used_at is null and expires_at > now() returning function_user)
          select ${functionUserColumns} from l join function_users u on u.id = l.function_user`,
      ),

    findOpened: (opened) =>
      row(
        pool,
        FunctionUserRow,
        sql`select ${functionUserColumns} from function_logins l join function_users u on u.id = l.function_user
          where l.token_hash = ${opened} and l.used_at is not null and l.expires_at > now()`,
      ),

    async endOpened(opened) {
      await execute(pool, sql`delete from function_logins where token_hash = ${opened}`)
    },

    async signOut(workspace, endUserId, by) {
      const change = sql`update function_users set signed_out_at = now()
        where workspace = ${workspace} and end_user_id = ${endUserId} returning *`
      const found = await row(
        pool,
        z.object({ browsers: z.int() }),
        sql`${withAudit(change, about, auditEntry(by, 'functionlogin.ended'))},
          logins as (delete from function_logins l using changed c where l.function_user = c.id),
          browsers as (delete from remembered_browsers b using changed c where b.function_user = c.id returning 1)
          select count(*)::integer as browsers from browsers`,
      )
      return found?.browsers ?? 0
    },

    async removeExpired() {
      await execute(pool, sql`delete from function_logins where expires_at < now()`)
      await execute(
        pool,
        sql`delete from function_users u where not exists (select from resources where resources.id = u.function_id)`,
      )
    },
  }
}

const about = {
  workspace: sql`c.workspace`,
  kind: sql`'function'`,
  name: sql`c.function_name`,
  id: sql`c.function_id`,
}

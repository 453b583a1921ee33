import type pg from 'pg'
import type { AccountRoles } from '../domain/ports.ts'

/** For a connection that is in a transaction: its lock makes two admins who remove each other come one after the other. */
export const postgresAccountRoles = (connection: Pick<pg.Pool, 'query'>): AccountRoles => ({
  async set(account, email, role) {
    await connection.query('select from accounts where name = $1 for update', [account])
    const { rows } = await connection.query(
      `select a.id as "accountId", u.id as "userId", (
         select bool_or(m.user_id = u.id) and count(*) = 1 from account_members m
         where m.account_id = a.id and m.role = 'admin') as last
       from accounts a, users u where a.name = $1 and u.email = lower($2)`,
      [account, email],
    )
    if (!rows[0]) return 'unknown'
    const { accountId, userId, last } = rows[0]
    if (last && role !== 'admin') return 'last admin'
    if (role === undefined) {
      await connection.query('delete from account_members where account_id = $1 and user_id = $2', [accountId, userId])
    } else {
      await connection.query(
        `insert into account_members (account_id, user_id, role) values ($1, $2, $3)
         on conflict (account_id, user_id) do update set role = excluded.role`,
        [accountId, userId, role],
      )
    }
    return 'done'
  },
})

import type pg from 'pg'
import { z } from 'zod'
import { execute, one, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { type Actor, operator } from '../../shared/domain/audit.ts'
import type { Role } from '../../shared/domain/caller.ts'
import { type About, auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import type { AccountMemberChange, AccountMemberKey, AccountMembers, AccountRoles } from '../domain/member.ts'

const Row = z.object({ userId: z.string(), email: z.string(), role: z.enum(['admin', 'member']) })

const AccountRow = z.object({ id: z.string() })
const LastAdmin = z.object({ last: z.boolean().nullable() })

const about: About = {
  workspace: sql`null::text`,
  kind: sql`'account member'`,
  name: sql`c.email`,
  id: sql`c.account_id`,
}
const isNamed = (who: string): Sql => sql`(u.id = ${who} or u.email = lower(${who}))`
/** Other users are treated as unknown, so that an account can't probe for addresses. */
const isOwnPerson = (accountId: string): Sql => sql`(
  exists (select from account_members o where o.account_id = ${accountId} and o.user_id = u.id) or
  exists (select from workspace_access a join workspaces w on w.name = a.workspace
    where w.account_id = ${accountId} and a.user_id = u.id))`

type Change = { key: AccountMemberKey; role: Role | undefined; by: Actor; among: Sql }

/** Needs a transaction: the lock serializes two admins who remove each other. */
async function change(connection: Queryable, { key, role, by, among }: Change): Promise<AccountMemberChange> {
  await execute(connection, sql`select from accounts where id = ${key.accountId} for update`)
  if (role !== 'admin' && (await isLastAdmin(connection, key))) return 'last admin'
  return role === undefined
    ? run(connection, removing(key), auditEntry(by, 'account.member.removed'))
    : run(connection, setting(key, role, among), auditEntry(by, 'account.member.set'))
}

async function isLastAdmin(connection: Queryable, { accountId, who }: AccountMemberKey): Promise<boolean> {
  const { last } = await one(
    connection,
    LastAdmin,
    sql`select bool_or(${isNamed(who)}) and count(*) = 1 as last
      from account_members m join users u on u.id = m.user_id where m.account_id = ${accountId} and m.role = 'admin'`,
  )
  return last === true
}

const removing = ({ accountId, who }: AccountMemberKey): Sql => sql`
  delete from account_members m using users u
  where m.account_id = ${accountId} and m.user_id = u.id and ${isNamed(who)}
  returning m.account_id, m.user_id, m.role, u.email`

const setting = ({ accountId, who }: AccountMemberKey, role: Role, among: Sql): Sql => sql`
  insert into account_members as m (account_id, user_id, role)
  select ${accountId}, u.id, ${role} from users u where ${isNamed(who)} and ${among}
  on conflict (account_id, user_id) do update set role = excluded.role
  returning m.account_id, m.user_id, m.role, (select u.email from users u where u.id = m.user_id) as email`

const run = (connection: Queryable, statement: Sql, entry: string): Promise<AccountMemberChange> =>
  row(connection, Row, sql`${withAudit(statement, about, entry)} select user_id as "userId", email, role from changed`)

export const postgresAccountMembers = (pool: pg.Pool): AccountMembers => ({
  list: (accountId) =>
    rows(
      pool,
      Row,
      sql`select m.user_id as "userId", u.email, m.role from account_members m join users u on u.id = m.user_id
        where m.account_id = ${accountId} order by u.email`,
    ),

  set: (key, role, by) =>
    inTransaction(pool, (client) => change(client, { key, role, by, among: isOwnPerson(key.accountId) })),
})

export const postgresAccountRoles = (connection: Queryable): AccountRoles => ({
  async set(account, email, role) {
    const found = await row(
      connection,
      AccountRow,
      sql`select a.id from accounts a, users u where a.name = ${account} and u.email = lower(${email})`,
    )
    if (!found) return undefined
    const key = { accountId: found.id, who: email }
    return (await change(connection, { key, role, by: operator, among: sql`true` })) ?? 'no member'
  },
})

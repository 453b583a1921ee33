import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { type Actor, operator } from '../../shared/domain/audit.ts'
import type { Role } from '../../shared/domain/caller.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import type { AccountMemberChange, AccountMemberKey, AccountMembers, AccountRoles } from '../domain/account-member.ts'

const Row = z.object({ userId: z.string(), email: z.string(), role: z.enum(['admin', 'member']) })

const AccountRow = z.object({ id: z.string() })
/** Null where there is no admin at all. */
const LastAdmin = z.object({ last: z.boolean().nullable() })

const about = { workspace: 'null::text', kind: `'account member'`, name: 'c.email', id: 'c.account_id' }
const member = 'm.account_id, m.user_id, m.role, u.email'
const named = '(u.id = $2 or u.email = lower($2))'
/** Whether anybody else has an address is no business of an account. */
const ownPeople = `(
  exists (select from account_members o where o.account_id = $1 and o.user_id = u.id) or
  exists (select from workspace_access a join workspaces w on w.name = a.workspace
    where w.account_id = $1 and a.user_id = u.id))`

type Runner = Pick<pg.Pool, 'query'>
type Change = { key: AccountMemberKey; role: Role | undefined; by: Actor; among: string }

/** In a transaction: its lock makes two admins who remove each other come one after the other. */
async function change(
  runner: Runner,
  { key: { accountId, who }, role, by, among }: Change,
): Promise<AccountMemberChange> {
  await runner.query('select from accounts where id = $1 for update', [accountId])
  if (role !== 'admin' && (await isLastAdmin(runner, accountId, who))) return 'last admin'
  return role === undefined
    ? run(runner, removing, [accountId, who], auditEntry(by, 'account.member.removed'))
    : run(runner, setting(among), [accountId, who, role], auditEntry(by, 'account.member.set'))
}

async function isLastAdmin(runner: Runner, accountId: string, who: string): Promise<boolean> {
  const { rows } = await runner.query(
    `select bool_or(${named}) and count(*) = 1 as last
     from account_members m join users u on u.id = m.user_id where m.account_id = $1 and m.role = 'admin'`,
    [accountId, who],
  )
  return stored(LastAdmin, rows[0]).last === true
}

const removing = `delete from account_members m using users u
  where m.account_id = $1 and m.user_id = u.id and ${named} returning ${member}`

const setting = (among: string) => `insert into account_members as m (account_id, user_id, role)
  select $1, u.id, $3 from users u where ${named} and ${among}
  on conflict (account_id, user_id) do update set role = excluded.role
  returning m.account_id, m.user_id, m.role, (select u.email from users u where u.id = m.user_id) as email`

async function run(runner: Runner, statement: string, values: unknown[], entry: string): Promise<AccountMemberChange> {
  const text = `${withAudit(statement, about, `$${values.length + 1}`)} select user_id as "userId", email, role from changed`
  const { rows } = await runner.query(text, [...values, entry])
  return rows[0] && stored(Row, rows[0])
}

export const postgresAccountMembers = (pool: pg.Pool): AccountMembers => ({
  async list(accountId) {
    const { rows } = await pool.query(
      `select m.user_id as "userId", u.email, m.role from account_members m join users u on u.id = m.user_id
       where m.account_id = $1 order by u.email`,
      [accountId],
    )
    return stored(z.array(Row), rows)
  },

  set: (key, role, by) => inTransaction(pool, (client) => change(client, { key, role, by, among: ownPeople })),
})

/** For a connection that is in a transaction. */
export const postgresAccountRoles = (connection: Runner): AccountRoles => ({
  async set(account, email, role) {
    const { rows } = await connection.query(
      'select a.id from accounts a, users u where a.name = $1 and u.email = lower($2)',
      [account, email],
    )
    if (!rows[0]) return undefined
    const key = { accountId: stored(AccountRow, rows[0]).id, who: email }
    return (await change(connection, { key, role, by: operator, among: 'true' })) ?? 'no member'
  },
})

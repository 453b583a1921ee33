import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import type { MemberChange, MemberKey, Members } from '../domain/member.ts'

const Member = z.object({
  userId: z
    .string()
    .nullish()
    .transform((id) => id ?? undefined),
  email: z.string(),
  role: z.enum(['admin', 'member']),
  source: z.enum(['invitation', 'member', 'group']),
  workspace: z.string(),
})

const Invited = z.object({
  workspace: z.string(),
  workspaceDisplayName: z.string(),
  email: z.string(),
  role: z.enum(['admin', 'member']),
  invitedBy: z.string(),
  createdAt: z.date(),
})

/** Null where there is no admin at all. */
const LastAdmin = z.object({ last: z.boolean().nullable() })

const about = { workspace: 'c.workspace', kind: `'member'`, name: 'c.email', id: `coalesce(c.user_id, '')` }
const shown = 'user_id as "userId", email, role, source, workspace'
const invitation = `workspace, email, role, null::text as user_id, 'invitation' as source`
const membership = `m.workspace, m.role, u.email, u.id as user_id, 'member' as source`
/** The user that a key names, in the from clause of a statement on `workspace_members m`. */
const named = 'm.workspace = $1 and m.user_id = u.id and (u.id = $2 or u.email = lower($2))'

const accepting = `
  taken as (
    delete from workspace_invitations i using users u
    where i.workspace = $1 and u.id = $2 and i.email = u.email returning i.workspace, i.role, u.id, u.email),
  joined as (
    insert into workspace_members (workspace, user_id, role) select workspace, id, role from taken
    on conflict (workspace, user_id) do nothing),`
const joined = `select workspace, role, email, id as user_id, 'member' as source from taken`

type Runner = Pick<pg.Pool, 'query'>

async function change(runner: Runner, statement: string, values: unknown[], entry: string) {
  const text = `${withAudit(statement, about, `$${values.length + 1}`)} select ${shown} from changed`
  const { rows } = await runner.query(text, [...values, entry])
  return rows[0] && stored(Member, rows[0])
}

/** One after the other for each workspace: two admins who remove each other at once must not both succeed. */
const keepingAnAdmin = (
  pool: pg.Pool,
  { workspace, who }: MemberKey,
  work: (client: pg.PoolClient) => Promise<MemberChange>,
) =>
  inTransaction<MemberChange>(pool, async (client) => {
    await client.query('select from workspaces where name = $1 for update', [workspace])
    const { rows } = await client.query(
      `select bool_or(u.id = $2 or u.email = lower($2)) and count(*) = 1 as last
       from workspace_members m join users u on u.id = m.user_id where m.workspace = $1 and m.role = 'admin'`,
      [workspace, who],
    )
    return stored(LastAdmin, rows[0]).last ? 'last admin' : work(client)
  })

export function postgresMembers(pool: pg.Pool): Members {
  return {
    async list(workspace) {
      const { rows } = await pool.query(
        `select a.user_id as "userId", u.email, a.role, case when a.direct then 'member' else 'group' end as source,
           a.workspace
         from workspace_access a join users u on u.id = a.user_id where a.workspace = $1
         union all
         select null, email, role, 'invitation', workspace from workspace_invitations where workspace = $1
         order by source desc, email`,
        [workspace],
      )
      return stored(z.array(Member), rows)
    },

    invite: ({ workspace, who }, role, by) =>
      change(
        pool,
        `insert into workspace_invitations (workspace, email, role, invited_by)
         select $1, lower($2), $3, $4
         where not exists (
           select from workspace_members m join users u on u.id = m.user_id
           where m.workspace = $1 and u.email = lower($2))
         on conflict (workspace, email) do update
         set role = excluded.role, invited_by = excluded.invited_by, created_at = now()
         returning ${invitation}`,
        [workspace, who, role, by.label],
        auditEntry(by, 'member.invited'),
      ),

    setRole(key, role, by) {
      const statement = `update workspace_members m set role = $3 from users u where ${named} returning ${membership}`
      const set = (runner: Runner) =>
        change(runner, statement, [key.workspace, key.who, role], auditEntry(by, 'member.updated'))
      return role === 'admin' ? set(pool) : keepingAnAdmin(pool, key, set)
    },

    remove: (key, by) =>
      keepingAnAdmin(pool, key, async (client) => {
        const values = [key.workspace, key.who]
        const uninvite = `delete from workspace_invitations where workspace = $1 and email = lower($2) returning ${invitation}`
        const remove = `delete from workspace_members m using users u where ${named} returning ${membership}`
        return (
          (await change(client, remove, values, auditEntry(by, 'member.removed'))) ??
          (await change(client, uninvite, values, auditEntry(by, 'member.uninvited')))
        )
      }),

    async invitationsTo(email) {
      const { rows } = await pool.query(
        `select i.workspace, w.display_name as "workspaceDisplayName", i.email, i.role, i.invited_by as "invitedBy",
           i.created_at as "createdAt"
         from workspace_invitations i join workspaces w on w.name = i.workspace
         where i.email = lower($1) order by i.created_at, i.workspace`,
        [email],
      )
      return stored(z.array(Invited), rows)
    },

    async accept(workspace, userId, by) {
      const text = `${withAudit(joined, about, '$3', accepting)} select ${shown} from changed`
      const { rows } = await pool.query(text, [workspace, userId, auditEntry(by, 'member.joined')])
      return rows[0] && stored(Member, rows[0])
    },

    async decline(workspace, email, by) {
      const remove = `delete from workspace_invitations i using workspaces w
        where i.workspace = $1 and i.email = lower($2) and w.name = i.workspace
        returning i.*, null::text as user_id, w.display_name`
      const { rows } = await pool.query(
        `${withAudit(remove, about, '$3')}
         select workspace, display_name as "workspaceDisplayName", email, role, invited_by as "invitedBy",
           created_at as "createdAt" from changed`,
        [workspace, email, auditEntry(by, 'member.declined')],
      )
      return rows[0] && stored(Invited, rows[0])
    },

    async setGroups(account, email, groups) {
      const { rows } = await pool.query(
        `with who as (select u.id as user_id, a.id as account_id from users u, accounts a
           where u.email = lower($2) and a.name = $1),
         gone as (delete from user_groups g using who
           where (g.user_id, g.account_id) = (who.user_id, who.account_id) and g.group_name <> all($3)),
         added as (insert into user_groups (user_id, account_id, group_name)
           select user_id, account_id, name from who, unnest($3::text[]) name on conflict do nothing)
         select from who`,
        [account, email, groups],
      )
      return rows.length === 1
    },
  }
}

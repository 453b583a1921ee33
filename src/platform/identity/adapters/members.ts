import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, one, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import type { MemberChange, MemberKey, Members } from '../domain/member.ts'

const Member = z.object({
  userId: maybe(z.string()),
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

const LastAdmin = z.object({ last: z.boolean().nullable() })

const about = {
  workspace: sql`c.workspace`,
  kind: sql`'member'`,
  name: sql`c.email`,
  id: sql`coalesce(c.user_id, '')`,
}
const columns = sql.columns(Member)
const invitation = sql`workspace, email, role, null::text as user_id, 'invitation' as source`
const membership = sql`m.workspace, m.role, u.email, u.id as user_id, 'member' as source`
const isNamed = ({ workspace, who }: MemberKey): Sql =>
  sql`m.workspace = ${workspace} and m.user_id = u.id and (u.id = ${who} or u.email = lower(${who}))`

const accepting = (workspace: string, userId: string): Sql => sql`
  taken as (
    delete from workspace_invitations i using users u
    where i.workspace = ${workspace} and u.id = ${userId} and i.email = u.email
    returning i.workspace, i.role, u.id, u.email),
  joined as (
    insert into workspace_members (workspace, user_id, role) select workspace, id, role from taken
    on conflict (workspace, user_id) do nothing),`
const joined = sql`select workspace, role, email, id as user_id, 'member' as source from taken`

const change = (connection: Queryable, statement: Sql, entry: string, before?: Sql) =>
  row(connection, Member, sql`${withAudit(statement, about, entry, before)} select ${columns} from changed`)

/** Serialized per workspace: two admins who remove each other must not both succeed. */
const keepingAnAdmin = (
  pool: pg.Pool,
  { workspace, who }: MemberKey,
  work: (connection: Queryable) => Promise<MemberChange>,
) =>
  inTransaction<MemberChange>(pool, async (client) => {
    await execute(client, sql`select from workspaces where name = ${workspace} for update`)
    const { last } = await one(
      client,
      LastAdmin,
      sql`select bool_or(u.id = ${who} or u.email = lower(${who})) and count(*) = 1 as last
        from workspace_members m join users u on u.id = m.user_id where m.workspace = ${workspace} and m.role = 'admin'`,
    )
    return last ? 'last admin' : work(client)
  })

export function postgresMembers(pool: pg.Pool): Members {
  return {
    list: (workspace) =>
      rows(
        pool,
        Member,
        sql`select a.user_id as "userId", u.email, a.role, case when a.direct then 'member' else 'group' end as source,
            a.workspace
          from workspace_access a join users u on u.id = a.user_id where a.workspace = ${workspace}
          union all
          select null, email, role, 'invitation', workspace from workspace_invitations where workspace = ${workspace}
          order by source desc, email`,
      ),

    invite: ({ workspace, who }, role, by) =>
      change(
        pool,
        sql`insert into workspace_invitations (workspace, email, role, invited_by)
          select ${workspace}, lower(${who}), ${role}, ${by.label}
          where not exists (
            select from workspace_members m join users u on u.id = m.user_id
            where m.workspace = ${workspace} and u.email = lower(${who}))
          on conflict (workspace, email) do update
          set role = excluded.role, invited_by = excluded.invited_by, created_at = now()
          returning ${invitation}`,
        auditEntry(by, 'member.invited'),
      ),

    setRole(key, role, by) {
      const statement = sql`
        update workspace_members m set role = ${role} from users u where ${isNamed(key)} returning ${membership}`
      const set = (connection: Queryable) => change(connection, statement, auditEntry(by, 'member.updated'))
      return role === 'admin' ? set(pool) : keepingAnAdmin(pool, key, set)
    },

    remove: (key, by) =>
      keepingAnAdmin(pool, key, async (client) => {
        const uninvite = sql`
          delete from workspace_invitations where workspace = ${key.workspace} and email = lower(${key.who})
          returning ${invitation}`
        const remove = sql`delete from workspace_members m using users u where ${isNamed(key)} returning ${membership}`
        return (
          (await change(client, remove, auditEntry(by, 'member.removed'))) ??
          (await change(client, uninvite, auditEntry(by, 'member.uninvited')))
        )
      }),

    invitationsTo: (email) =>
      rows(
        pool,
        Invited,
        sql`select i.workspace, w.display_name as "workspaceDisplayName", i.email, i.role, i.invited_by as "invitedBy",
            i.created_at as "createdAt"
          from workspace_invitations i join workspaces w on w.name = i.workspace
          where i.email = lower(${email}) order by i.created_at, i.workspace`,
      ),

    accept: (workspace, userId, by) =>
      change(pool, joined, auditEntry(by, 'member.joined'), accepting(workspace, userId)),

    decline: (workspace, email, by) => {
      const remove = sql`delete from workspace_invitations i using workspaces w
        where i.workspace = ${workspace} and i.email = lower(${email}) and w.name = i.workspace
        returning i.*, null::text as user_id, w.display_name`
      return row(
        pool,
        Invited,
        sql`${withAudit(remove, about, auditEntry(by, 'member.declined'))}
          select workspace, display_name as "workspaceDisplayName", email, role, invited_by as "invitedBy",
            created_at as "createdAt" from changed`,
      )
    },

    async setGroups(account, email, groups) {
      const found = await execute(
        pool,
        sql`with who as (select u.id as user_id, a.id as account_id from users u, accounts a
            where u.email = lower(${email}) and a.name = ${account}),
          gone as (delete from user_groups g using who
            where (g.user_id, g.account_id) = (who.user_id, who.account_id) and g.group_name <> all(${groups}::text[])),
          added as (insert into user_groups (user_id, account_id, group_name)
            select user_id, account_id, name from who, unnest(${groups}::text[]) name on conflict do nothing)
          select from who`,
      )
      return found === 1
    },
  }
}

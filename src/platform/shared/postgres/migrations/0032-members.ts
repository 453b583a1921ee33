import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * - An invitation is to an address, whether or not anybody has it yet.
 * - Groups are those of an account's own directory, so they open workspaces of that account alone.
 * - Where somebody has several roles in a workspace, the strongest counts.
 */
export const members: Migration = {
  name: '0032-members',
  sql: `
    create table workspace_invitations (
      workspace text collate "C" not null references workspaces on delete cascade,
      email text not null check (email = lower(email)),
      role text not null check (role in ('admin', 'member')),
      invited_by text not null,
      created_at timestamptz(3) not null default now(),
      primary key (workspace, email)
    );
    create index workspace_invitations_by_email on workspace_invitations (email);

    create table user_groups (
      user_id text not null references users on delete cascade,
      account_id text not null references accounts on delete cascade,
      group_name text not null,
      primary key (user_id, account_id, group_name)
    );
    create index workspaces_by_account on workspaces (account_id);
    create index workspace_members_by_user on workspace_members (user_id);

    create view workspace_access as
    select workspace, user_id, case when bool_or(role = 'admin') then 'admin' else 'member' end as role,
      bool_or(direct) as direct
    from (
      select m.workspace collate "C" as workspace, m.user_id, m.role, true as direct from workspace_members m
      union all
      select w.name, g.user_id, mapping.role, false
      from user_groups g join workspaces w on w.account_id = g.account_id
      cross join lateral jsonb_to_recordset(w.group_mappings) as mapping ("groupName" text, role text)
      where mapping."groupName" = g.group_name
    ) ways
    group by workspace, user_id;`,
}

/**
 * - An approval is a call that a person decides on. `subject` is the person or key that made it, `covers` is what an
 *   approval for an hour is for, and `asked` has the arguments, sealed, until the decision. `receipt` is the signature.
 * - An approved call used a receipt. Without `answered_at` its answer is not known.
 */
export const approvals = `
  create table approvals (
    id text primary key,
    workspace text collate "C" not null references workspaces on delete cascade,
    function_id text not null references resources on delete cascade,
    function_name text collate "C" not null,
    connection_id text not null references resources on delete cascade,
    connection text collate "C" not null,
    app text not null,
    tool text not null,
    covers text not null,
    digest text not null,
    subject text not null,
    caller_kind text not null,
    caller_id text not null,
    caller_label text not null,
    deciders jsonb not null,
    asked text,
    decision text,
    decider_kind text,
    decider_id text,
    decider_label text,
    decided_at timestamptz(3),
    receipt text,
    expires_at timestamptz(3) not null,
    used_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    changed_at timestamptz(3) not null default now()
  );
  create unique index approvals_waiting on approvals (connection_id, subject, tool, digest) where decided_at is null;
  create index approvals_by_caller on approvals (connection_id, subject, expires_at);
  create index approvals_by_function on approvals (function_id);
  create index approvals_by_change on approvals (workspace, changed_at, id);
  create index approvals_by_age on approvals (created_at);

  create table approved_calls (
    id text primary key,
    approval_id text not null references approvals on delete cascade,
    connection_id text not null,
    subject text not null,
    tool text not null,
    digest text not null,
    started_at timestamptz(3) not null default now(),
    answered_at timestamptz(3)
  );
  create index approved_calls_by_approval on approved_calls (approval_id);
  create index approved_calls_unanswered on approved_calls (connection_id, subject, tool, digest, started_at)
    where answered_at is null;

  create table approval_elicitations (
    id text primary key,
    session text not null references mcp_sessions on delete cascade,
    approval_id text not null references approvals on delete cascade,
    unique (session, approval_id)
  );
  create index approval_elicitations_by_approval on approval_elicitations (approval_id);
`

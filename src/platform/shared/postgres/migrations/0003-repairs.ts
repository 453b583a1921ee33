/**
 * - A repair is a gap in a grant that a person's call met. Its ticket tells the product that the person was verified.
 */
export const repairs = `
  create table repairs (
    id text primary key,
    workspace text collate "C" not null references workspaces on delete cascade,
    function_id text not null references resources on delete cascade,
    function_name text collate "C" not null,
    connection_id text not null references resources on delete cascade,
    connection text collate "C" not null,
    version integer not null,
    caller_kind text not null,
    caller_id text not null,
    code text not null,
    scope text,
    ticket_hash bytea,
    ticket_expires_at timestamptz,
    created_at timestamptz(3) not null default now(),
    unique (connection_id, version, function_id, caller_id, code)
  );
  create index repairs_by_age on repairs (created_at);
  create unique index repairs_by_ticket on repairs (ticket_hash) where ticket_hash is not null;
`

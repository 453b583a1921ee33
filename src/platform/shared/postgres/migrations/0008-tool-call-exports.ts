/** How far each destination of exported tool calls is. */
export const toolCallExports = `
  create table tool_call_exports (
    destination text primary key,
    exported    bigint not null default 0,
    fence       integer not null default 0,
    failures    integer not null default 0,
    problem     text,
    due_at      timestamptz not null
  );
  comment on column tool_call_exports.exported is 'The number of the last call that the destination has acknowledged.';
  comment on column tool_call_exports.due_at is 'Nobody but its holder exports before then.';
`

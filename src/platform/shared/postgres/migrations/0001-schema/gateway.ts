/**
 * - MCP sessions belong to one caller at one server. Any process can serve them.
 * - MCP events are kept for minutes, so the table is unlogged: a database crash costs a client one repeated call.
 * - Tool calls record caller, tool and outcome, never arguments or results.
 * - Tool lists hold the approved list and the pending one if it differs. The position is that of the connection among the
 *   function's connections to the same integration.
 * - Grant problems are about one version of a connection's secrets.
 * - Asynchronous requests are agent requests whose callers did not wait. `due_at` is the end of the lease or the time of the
 *   next attempt. The answer is stored before the callback, so a failed callback does not call the agent again. Slots and
 *   the max number of requests are counted per workspace.
 */
export const gateway = `
  create table mcp_sessions (
    id text primary key,
    workspace text collate "C" not null references workspaces on delete cascade,
    kind text not null,
    name text not null,
    caller text not null,
    seen_at timestamptz(3) not null default now()
  );
  create index mcp_sessions_by_age on mcp_sessions (seen_at);

  create unlogged table mcp_events (
    session text not null,
    stream text not null,
    seq integer not null,
    message text not null,
    last boolean not null,
    created_at timestamptz(3) not null default now(),
    primary key (session, stream, seq)
  );
  create index mcp_events_by_age on mcp_events (created_at);

  create table tool_calls (
    id bigint generated always as identity primary key,
    at timestamptz(3) not null,
    duration_ms integer not null,
    workspace text collate "C" not null references workspaces on delete cascade,
    function_name text collate "C" not null,
    function_id text not null,
    caller_kind text not null,
    caller_id text not null,
    caller_label text not null,
    credential text not null,
    tool text not null,
    outcome text not null,
    code text
  );
  create index tool_calls_by_function on tool_calls (workspace, function_name, id);
  create index tool_calls_by_age on tool_calls (at);

  create table tool_lists (
    function_id text not null references resources on delete cascade,
    integration text not null,
    position integer not null,
    connection text not null,
    capabilities text[] not null,
    approved_hash text not null,
    approved text not null,
    approved_at timestamptz(3) not null default now(),
    approved_by text not null,
    pending_hash text,
    pending text,
    pending_since timestamptz(3),
    seen_at timestamptz(3) not null default now(),
    seen_with text not null,
    primary key (function_id, integration, position)
  );

  create table grant_problems (
    connection_id text not null references resources on delete cascade,
    version integer not null,
    code text collate "C" not null,
    function_name text not null,
    scope text,
    noted_at timestamptz(3) not null default now(),
    primary key (connection_id, version, code)
  );
  create index grant_problems_by_age on grant_problems (noted_at);

  create table async_requests (
    id text primary key,
    workspace text collate "C" not null references workspaces on delete cascade,
    agent text not null,
    agent_id text not null references resources on delete cascade,
    asked text not null,
    answer text,
    owner text,
    claims integer not null,
    refusals integer not null default 0,
    due_at timestamptz not null,
    created_at timestamptz(3) not null default now()
  );
  comment on column async_requests.claims is 'Who claimed it since a process last wrote what became of it.';
  create index async_requests_due on async_requests (due_at);
  create index async_requests_of_owner on async_requests (owner) where owner is not null;
  create index async_requests_of_agent on async_requests (agent_id);
  create index async_requests_of_workspace on async_requests (workspace, due_at);
`

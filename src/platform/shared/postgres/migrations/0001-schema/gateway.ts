/**
 * - MCP sessions belong to one caller at one server; any process can answer any request of them.
 * - MCP events are kept for minutes only, so they are not worth a write-ahead log: a crash of the database costs a client
 *   one repeated call.
 * - Calls of tools: who, which tool, what became of it. Never what was said.
 * - Lists of tools of vendors' own MCP servers: what agents see, and what the server lists now if nobody has approved
 *   that. The position is that of the connection among those of the function that lead to the same integration.
 * - Problems of grants: what calls showed about the secrets of a connection, for whoever linked it. They are about one
 *   version of the secrets, and are of no interest once others are in use.
 * - Asynchronous requests are those to agents whose callers did not wait, until they are asked and told. `due_at` is
 *   when somebody should look: the end of the owner's lease, or the time of the next try. The answer is kept before the
 *   callback is tried, so that a callback that is away costs the agent nothing. A workspace has a share of the places
 *   and so many requests at most: both are counted by workspace.
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

import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * - MCP sessions belong to one caller at one server; any process can answer any request of them.
 * - MCP events are kept for minutes only, so they are not worth a write-ahead log: a crash of the database costs
 *   a client one repeated call.
 * - Usage is kept apart from the resources it is about: a bill outlives what it is for.
 */
export const gateway: Migration = {
  name: '0010-gateway',
  sql: `
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

    create table usage_events (
      event_id text primary key,
      workspace text collate "C" not null,
      resource_type text not null,
      resource_name text not null,
      resource_uuid text not null,
      dimension text not null,
      quantity double precision not null,
      started_at timestamptz(3) not null,
      ended_at timestamptz(3) not null
    );
    create index usage_events_by_time on usage_events (workspace, ended_at);`,
}

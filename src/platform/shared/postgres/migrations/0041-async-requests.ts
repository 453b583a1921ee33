import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * Requests to agents whose callers did not wait, until they are asked and told.
 *
 * - `due_at` is when somebody should look: the end of the owner's lease, or the time of the next try.
 * - The answer is kept before the callback is tried, so that a callback that is away costs the agent nothing.
 */
export const asyncRequests: Migration = {
  name: '0041-async-requests',
  sql: `
    create table async_requests (
      id text primary key,
      workspace text collate "C" not null references workspaces on delete cascade,
      agent text not null,
      agent_id text not null references resources on delete cascade,
      asked text not null,
      answer text,
      owner text,
      asks integer not null,
      refusals integer not null default 0,
      due_at timestamptz not null,
      created_at timestamptz(3) not null default now()
    );
    create index async_requests_due on async_requests (due_at);
    create index async_requests_of_owner on async_requests (owner) where owner is not null;
    create index async_requests_of_agent on async_requests (agent_id);`,
}

/**
 * - An elicitation is a URL that a session's client was told to open. When the secrets of the connection have changed, the
 *   client is told that it is complete.
 * - A claimed state was used to repeat a call. A call is repeated at most once.
 */
export const waitingCalls = `
  alter table mcp_sessions add column takes_urls boolean not null default false;

  create table mcp_elicitations (
    id text primary key,
    session text not null references mcp_sessions on delete cascade,
    connection_id text not null references resources on delete cascade,
    version integer not null,
    unique (session, connection_id, version)
  );
  create index mcp_elicitations_by_connection on mcp_elicitations (connection_id);

  create table claimed_states (
    id text primary key,
    claimed_at timestamptz(3) not null default now()
  );
  create index claimed_states_by_age on claimed_states (claimed_at);
`

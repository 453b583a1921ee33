/**
 * - A session declares whether its client shows forms and cards to its user.
 * - An input was requested from a client and is awaited by the process that runs the call. `content` is sealed.
 */
export const clientInput = `
  alter table mcp_sessions
    add column takes_forms boolean not null default false,
    add column shows_cards boolean not null default false;

  create table awaited_inputs (
    key text primary key,
    content text,
    created_at timestamptz(3) not null default now()
  );
  create index awaited_inputs_by_age on awaited_inputs (created_at);
`

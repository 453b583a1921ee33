/**
 * - A remembered browser belongs to an end user, who opened a function login in it. It ends with the function.
 * - Logins that began before `signed_out_at` have ended.
 */
export const rememberedBrowsers = `
  create table remembered_browsers (
    token_hash bytea primary key,
    function_user text not null references function_users (id) on delete cascade,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null
  );
  create index remembered_browsers_by_end on remembered_browsers (expires_at);
  create index remembered_browsers_by_user on remembered_browsers (function_user);

  alter table function_users add column signed_out_at timestamptz(3);
  alter table repairs add column ticket_remembered boolean not null default false;
`

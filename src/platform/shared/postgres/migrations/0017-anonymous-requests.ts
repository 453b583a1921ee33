/** Requests at public triggers, which have places of their own. */
export const anonymousRequests = `
  alter table async_requests add column is_anonymous boolean not null default false;
`

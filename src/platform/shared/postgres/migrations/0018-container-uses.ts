/** Containers of agents, functions and models that were used, and whether a use has started them. */
export const containerUses = `
  create table container_uses (
    id text primary key,
    resource_id text not null references resources on delete cascade,
    used_at timestamptz(3) not null default now(),
    stopping_until timestamptz(3),
    is_running boolean not null default false
  );
  create index container_uses_by_resource on container_uses (resource_id);
`

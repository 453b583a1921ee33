/** The latest use of each sandbox. Idle ones are stopped, and `stopping_until` makes a use wait for the end of the stop. */
export const sandboxUses = `
  create table sandbox_uses (
    id text primary key references resources on delete cascade,
    used_at timestamptz(3) not null default now(),
    stopping_until timestamptz(3)
  );
`

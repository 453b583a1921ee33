// Erased rows name the erasure, so its row is kept; the user ID is deleted when the erasure ends.
export const erasures = `
  create table erasures (
    id          text collate "C" primary key,
    tenant      text collate "C" not null references tenants (id),
    subject     text not null,
    end_user_id text,
    step        text not null,
    cause       text,
    actor       jsonb not null,
    receipt     jsonb,
    fence       integer not null default 0,
    claims      integer not null default 1,
    due_at      timestamptz,
    step_since  timestamptz not null default now(),
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    finished_at timestamptz,
    check ((end_user_id is null) = (step = 'done'))
  );
  comment on column erasures.subject is 'A keyed hash of the id of the user, by which the same user is recognized.';
  comment on column erasures.end_user_id is 'Whose things are looked for. Null once it is done.';
  comment on column erasures.due_at is
    'Nobody but its holder works on it before then; afterwards any worker may. Null: it is done.';
  comment on column erasures.claims is
    'Who claimed it since a worker last wrote what became of it. Above one: workers were lost over it.';
  create unique index erasures_under_way on erasures (tenant, subject) where due_at is not null;
  create index erasures_due on erasures (due_at) where due_at is not null;
  create index erasures_by_tenant on erasures (tenant, id);
  create index erasures_by_subject on erasures (tenant, subject, id);
`

// An event waits in the outbox until it has a delivery for each subscribed webhook. The queue index only has pending
// deliveries, so it does not grow with history.
export const webhooks = `
  create table outbox (
    id         text collate "C" primary key,
    tenant     text collate "C" not null,
    event      text not null,
    payload    jsonb not null,
    traceparent text,
    written    xid8 not null default pg_current_xact_id(),
    created_at timestamptz not null default now(),
    due_at     timestamptz default now(),
    attempts   integer not null default 0
  );
  comment on column outbox.written is
    'The transaction that wrote it. Events are read in this order: it is the one in which they can become visible.';
  create index outbox_by_tenant on outbox (tenant, written, id);
  create index outbox_by_end_user on outbox (tenant, (payload #>> '{endUser,id}')) where payload ? 'endUser';
  create index outbox_due on outbox (due_at) where due_at is not null;

  create table webhooks (
    id         text collate "C" primary key,
    tenant     text collate "C" not null references tenants (id),
    url        text not null,
    events     text[] not null,
    status     text not null default 'active',
    secret     text not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index webhooks_by_tenant on webhooks (tenant, id);
  create index webhooks_disabled on webhooks (id) where status = 'disabled';

  create table earlier_webhook_secrets (
    id      text collate "C" primary key default gen_random_uuid()::text,
    webhook text collate "C" not null references webhooks (id) on delete cascade,
    secret  text not null,
    until   timestamptz not null
  );
  comment on column earlier_webhook_secrets.until is 'Messages are signed with it, too, until then.';
  create index earlier_webhook_secrets_by_webhook on earlier_webhook_secrets (webhook, until);

  create table webhook_deliveries (
    id              text collate "C" primary key,
    webhook         text collate "C" not null references webhooks (id) on delete cascade,
    event           text collate "C" not null references outbox (id),
    tenant          text collate "C" not null references tenants (id),
    status          text not null default 'pending',
    attempts        integer not null default 0,
    fence           integer not null default 0,
    claims          integer not null default 0,
    response_status integer,
    failure_reason  text,
    due_at          timestamptz default now(),
    delivered_at    timestamptz,
    created_at      timestamptz not null default now()
  );
  comment on column webhook_deliveries.due_at is
    'Nobody but its holder sends it before then; afterwards any worker may. Null: nothing is left to do.';
  comment on column webhook_deliveries.claims is
    'Who claimed it since a worker last wrote what became of it. Above zero when it is due: a worker was lost over it.';
  create index webhook_deliveries_queue on webhook_deliveries (webhook, due_at) where due_at is not null;
  create index webhook_deliveries_by_webhook on webhook_deliveries (webhook);
  create index webhook_deliveries_by_event on webhook_deliveries (event);
  create index webhook_deliveries_by_tenant on webhook_deliveries (tenant, id);
  create index webhook_deliveries_dead on webhook_deliveries (tenant, id) where status = 'dead';
`

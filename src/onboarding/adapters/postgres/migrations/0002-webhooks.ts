import type { Migration } from '../../../../kit/database/migrations.ts'

// An event waits in the outbox until it has been turned into one delivery for each webhook that wants it.
export const webhooks: Migration = {
  name: '0002-webhooks',
  sql: `
    create table webhooks (
      id                    text collate "C" primary key,
      tenant                text collate "C" not null references tenants (id),
      url                   text not null,
      events                text[] not null,
      status                text not null default 'active',
      secret                text not null,
      previous_secret       text,
      previous_secret_until timestamptz,
      created_at            timestamptz not null default now(),
      updated_at            timestamptz not null default now()
    );
    create index webhooks_by_tenant on webhooks (tenant, id);

    create table webhook_deliveries (
      id              text collate "C" primary key,
      webhook         text collate "C" not null references webhooks (id) on delete cascade,
      event           text collate "C" not null references outbox (id),
      tenant          text collate "C" not null references tenants (id),
      status          text not null default 'pending',
      attempts        integer not null default 0,
      fence           integer not null default 0,
      answered_status integer,
      trouble         text,
      due_at          timestamptz default now(),
      delivered_at    timestamptz,
      created_at      timestamptz not null default now()
    );
    comment on column webhook_deliveries.due_at is
      'Nobody but its holder sends it before then; afterwards any worker may. Null: nothing is left to do.';
    create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;
    create index webhook_deliveries_by_webhook on webhook_deliveries (webhook, due_at);
    create index webhook_deliveries_by_event on webhook_deliveries (event);
    create index webhook_deliveries_by_tenant on webhook_deliveries (tenant, id);
  `,
}

import type { Migration } from '../../../../kit/database/migrations.ts'

// There was room for one secret before the present one, so a second rotation within a day ended the first secret
// early. Each has a row now, and its own time. A process from before cannot send messages any more once this has run,
// which is better than sending some that a receiver refuses; the others send them.
export const earlierWebhookSecrets: Migration = {
  name: '0014-earlier-webhook-secrets',
  sql: `
    create table earlier_webhook_secrets (
      id      text collate "C" primary key default gen_random_uuid()::text,
      webhook text collate "C" not null references webhooks (id) on delete cascade,
      secret  text not null,
      until   timestamptz not null
    );
    comment on column earlier_webhook_secrets.until is 'Messages are signed with it, too, until then.';
    create index earlier_webhook_secrets_by_webhook on earlier_webhook_secrets (webhook, until);
    insert into earlier_webhook_secrets (webhook, secret, until)
    select id, previous_secret, previous_secret_until from webhooks
    where previous_secret is not null and previous_secret_until > now();
    alter table webhooks drop column previous_secret, drop column previous_secret_until;
  `,
}

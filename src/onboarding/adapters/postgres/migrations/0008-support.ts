import type { Migration } from '../../../../kit/database/migrations.ts'

// What the support console looks for. Beginnings of words are found in an ordered index however many fit them, which
// indexes by parts of words cannot promise; e-mail addresses are on sessions, whose rows never change.
export const support: Migration = {
  name: '0008-support',
  sql: `
    create index connections_by_name on connections (name collate "C");
    create index connections_by_label on connections ((lower(account_label) collate "C")) where account_label is not null;
    create index connections_by_status on connections (status, id);
    create index connections_by_integration on connections (integration, id);
    create index sessions_by_email on connect_sessions ((lower(end_user ->> 'email') collate "C"))
      where end_user ? 'email';
    create index sessions_by_end_user on connect_sessions ((lower(end_user ->> 'id') collate "C"));
    create index tenants_by_display_name on tenants ((lower(display_name) collate "C"));

    create index links_in_trouble on links (cause, id) where state = 'needs_attention';
    create index links_not_linked on links (state, id)
      where state in ('needs_attention', 'failed', 'exchange_unknown', 'denied', 'abandoned');

    create index webhook_deliveries_dead on webhook_deliveries (tenant, id) where status = 'dead';

    create index audit_by_time on audit (at);
    create index audit_by_request on audit (request_id) where request_id is not null;
    create index audit_by_action on audit (action, id);
    create index audit_by_actor on audit (actor_id, id) where actor_id is not null;
  `,
}

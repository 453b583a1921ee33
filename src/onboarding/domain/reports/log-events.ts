import { kitEvents, type LogEvents } from '../../../kit/process/log-events.ts'

export const onboardingEvents = {
  ...kitEvents,
  'link.opened': { level: 'info', description: 'A user started a link.' },
  'link.moved': { level: 'info', description: 'A link moved to its next [state](../link-states.md).' },
  'link.ended': {
    level: 'info',
    description:
      'A link reached its last state. If it did not end `linked`, `cause` says why, and `detail` names the part of the request or the error code of the app.',
  },
  'link.needs_attention': {
    level: 'warn',
    description: 'A link stopped for `cause` and waits for a person; its grant stays sealed.',
  },
  'link.retry_scheduled': { level: 'warn', description: 'A step failed for `cause` and is retried in `inSeconds`.' },
  'link.resumed': { level: 'info', description: 'A person requested an immediate retry of a waiting link.' },
  'link.taken_over': {
    level: 'warn',
    description: 'The worker of the link died or was too slow, and another worker continues it.',
  },
  'link.lost': {
    level: 'info',
    description: 'A worker found that another worker had taken over its link, and stopped.',
  },
  'call.failed': {
    level: 'warn',
    description:
      'A call to a provider or to the platform failed. `detail` names the part, or the TLS or network error.',
  },
  'health.checked': { level: 'debug', description: 'A health check found a connection unchanged.' },
  'connection.broken': { level: 'warn', description: 'A health check found that a connection needs a re-link.' },
  'connection.recovered': {
    level: 'info',
    description: 'A health check found that a connection works again, without a re-link.',
  },
  'connection.health_unknown': {
    level: 'warn',
    description: 'Health checks have been unclear for too long. The tenant was notified.',
  },
  'connection.grant_ends_soon': {
    level: 'warn',
    description:
      'The grant reaches its maximum age at the provider soon (`refreshMaxAgeDays`). The tenant was notified.',
  },
  'task.opened': { level: 'info', description: 'A disconnect or rollback was requested.' },
  'task.moved': { level: 'info', description: 'A disconnect or rollback reached its next step.' },
  'task.ended': { level: 'info', description: 'A disconnect or rollback is done.' },
  'task.failed': { level: 'warn', description: 'A disconnect or rollback failed for `cause`.' },
  'task.retry_scheduled': { level: 'warn', description: 'A step of a disconnect or rollback failed and is retried.' },
  'tenant_deletion.moved': { level: 'info', description: 'The deletion of a tenant reached its next step.' },
  'erasure.moved': { level: 'info', description: 'The erasure of an end user reached its next step.' },
  'delivery.delivered': { level: 'info', description: 'A webhook endpoint accepted a message.' },
  'delivery.retry_scheduled': {
    level: 'warn',
    description: 'A webhook endpoint did not accept a message; it is sent again in `inSeconds`.',
  },
  'delivery.dead': {
    level: 'warn',
    description:
      'A webhook endpoint accepted no attempt for a day and a half, or answered 410. The message can be replayed.',
  },
  'integration.address_blocked': {
    level: 'warn',
    description: 'At start: an address of a profile is private or without TLS.',
  },
  'integration.grants_untested': {
    level: 'warn',
    description: 'At start: no health check uses the grants of this integration, so a revoked grant is not noticed.',
  },
  'integration.misregistered': {
    level: 'warn',
    description:
      'At start and every hour: according to the settings, the latest link or the latest health check, the OAuth app is registered in a way that does not work ([doctor](../guides/doctor.md)). After a correction, link one account to clear it.',
  },
  'integration.unproven': {
    level: 'warn',
    description: 'At start: a profile that was never tried against its provider.',
  },
  'settings.followed': {
    level: 'info',
    description: 'The process uses changed settings. `count` is their version.',
  },
  'settings.invalid': {
    level: 'error',
    description:
      'Settings of an integration were valid when they were saved, and this release rejects them. The entry of the file or the catalogue applies instead.',
  },
  'settings.file_ignored': {
    level: 'warn',
    description:
      'An integration has settings that were changed without a restart, so its entry in `INTEGRATIONS_FILE` does not apply. `causeway integrations remove` returns to the file.',
  },
  'ledger.may_lose_commits': {
    level: 'warn',
    description:
      'At start: commits wait for no standby, although one follows PostgreSQL, or not even for the disk. A failover or a crash can lose the last ones ([High availability](../guides/high-availability.md)).',
  },
  'platform.not_ready': { level: 'warn', description: 'At start: the platform is unreachable, or rejects our key.' },
  'platform.incomplete': { level: 'warn', description: 'At start: the platform lacks an integration or a workspace.' },
  'audit.export_failed': {
    level: 'warn',
    description:
      'A destination of the audit export did not accept a batch, for `problem`. It is sent again in `inSeconds`; nothing is left out.',
  },
  'audit.export_rejected': {
    level: 'warn',
    description:
      'The OTLP destination took a batch of the audit, but rejected `count` of its records for good. They are not sent again; the ledger has them.',
  },
  'redis.absent': {
    level: 'warn',
    description: 'No Redis: links in progress are lost when this process ends. `REDIS_URL=memory:` is for demos.',
  },
  'redis.eviction_unknown': {
    level: 'warn',
    description: 'Redis hides its `maxmemory-policy`. It must be `noeviction`.',
  },
} as const satisfies LogEvents

export type OnboardingEvent = keyof typeof onboardingEvents

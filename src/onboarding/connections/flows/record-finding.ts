import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import { type Connection, connectionSnapshot, connectionState } from '../../domain/connection.ts'
import { type Finding, type HealthCheck, isHealthUnknown } from '../../domain/health/health.ts'
import type { HealthCheckDraft } from '../../domain/ports/connections.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { healthUnknownEvent, needsRelinkEvent } from '../../domain/tenant-event.ts'
import type { OnConnection } from './own-connection.ts'
import type { RefreshResult } from './refresh-and-write-back.ts'
import { rememberMissingScope } from './relink-connection.ts'

type CheckResult = RefreshResult & { connection: Connection; durationMs: number; request?: OnConnection | undefined }

export async function recordFinding(ports: Ports, settings: Settings, found: CheckResult): Promise<HealthCheck> {
  const { connection, finding, isWriteBackDue, durationMs, request } = found
  const integration = ports.integrations.of(connection)
  if (finding.scope) await rememberMissingScope(ports, connection, finding.scope)
  const usual = integration?.health.everySeconds ?? settings.healthSeconds
  const isAskedAgain = finding.isUnexplained || finding.isHeldBack
  const pace = isWriteBackDue ? writeBackRetrySeconds : isAskedAgain ? Math.min(usual, askAgainSeconds) : usual
  const nextInSeconds = pace * (0.9 + 0.2 * ports.chance())
  return ports.healthChecks.record({
    connection,
    finding,
    durationMs,
    nextInSeconds,
    ...onRecord(ports, connection, finding, request),
  })
}

function onRecord(ports: Ports, connection: Connection, finding: Finding, request?: OnConnection) {
  const { outcome, cause } = finding
  const actor = request?.actor ?? worker
  const about = { actor, ...aboutConnection(connection) }
  const found = cause ?? 'grant_revoked'
  return {
    actorKind: actor.kind,
    news:
      outcome === 'broken'
        ? {
            action: 'connection.needs_relink',
            ...about,
            facts: { cause: found },
            ...changed(connection, 'needs_relink', cause),
          }
        : { action: 'connection.recovered', ...about, ...changed(connection, 'active', cause) },
    asked: request && {
      action: 'connection.checked',
      ...about,
      reason: request.reason,
      facts: { outcome },
      before: connectionState(connection),
      after: {},
    },
    event: { id: ports.tokens.id('evt'), ...needsRelinkEvent(connection, found) },
    unknown: unknownHealth(ports, connection, finding),
  } satisfies Partial<HealthCheckDraft>
}

/** Returns undefined if a recent check was conclusive or the tenant was already notified. */
function unknownHealth(
  { tokens, now }: Ports,
  connection: Connection,
  { outcome, cause, detail }: Finding,
): HealthCheckDraft['unknown'] {
  if (outcome !== 'unclear' || connection.healthUnknownSince || connection.status !== 'active') return undefined
  const unclearSince = connection.unclearSince ?? now()
  const checks = connection.unclearChecks + 1
  const found = cause ?? 'provider_unavailable'
  if (!isHealthUnknown({ unclearSince, unclearChecks: checks, cause: found }, now())) return undefined
  const facts = { cause: found, detail, checks }
  return {
    news: { action: 'connection.health_unknown', actor: worker, ...aboutConnection(connection), facts },
    event: { id: tokens.id('evt'), ...healthUnknownEvent(connection, found, unclearSince) },
  }
}

function changed(connection: Connection, status: Connection['status'], cause: Cause | undefined) {
  const before = connectionSnapshot(connection)
  return { before, after: { ...before, status, cause: cause ?? null } }
}

/** A refusal without a reason may be a passing fault, so the check is repeated soon. */
const askAgainSeconds = 5 * 60

/** The platform still has the old refresh token. */
const writeBackRetrySeconds = 20

/** Checks that crash their workers are retried once a day. */
const setAsideSeconds = 24 * 60 * 60

export function setAside(ports: Ports, connection: Connection): Promise<HealthCheck> {
  const finding = { outcome: 'unclear', cause: 'worker_crashed' } as const
  const draft = { connection, finding, durationMs: 0, nextInSeconds: setAsideSeconds }
  return ports.healthChecks.record({ ...draft, ...onRecord(ports, connection, finding, undefined) })
}

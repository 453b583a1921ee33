import { worker } from '../../domain/audit.ts'
import { aboutConnection } from '../../domain/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import { type Connection, connectionSnapshot, connectionState } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { type Finding, type HealthCheck, judgeTry } from '../../domain/health.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Checked, Connections, HealthChecks, StoredGrants } from '../../domain/ports/connections.ts'
import type { Platform } from '../../domain/ports/platform.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Chance, Clock, Integrations, RateLimits, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { needsRelinkEvent } from '../../domain/tenant-event.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { liveConnection, type OnConnection, ownConnection } from './own-connection.ts'
import { type Refreshing, refreshAndWriteBack } from './refresh-and-write-back.ts'

export type CheckNeeds = {
  connections: Connections
  healthChecks: HealthChecks
  integrations: Integrations
  tenants: Tenants
  platform: Platform
  storedGrants: StoredGrants
  provider: Provider
  seal: Seal
  tokens: Tokens
  now: Clock
  chance: Chance
  rates: RateLimits
}

export type CheckSettings = Pick<Settings, 'healthSeconds' | 'connectionPut'>

/** Somebody wants to know now. */
export const checkHealth =
  (needs: CheckNeeds, settings: CheckSettings & Pick<Settings, 'rates'>) =>
  async (input: OnConnection): Promise<HealthCheck> => {
    const connection = await liveConnection(needs, input)
    await limitRate(needs)(settings.rates.check, connection.id)
    return check(needs, settings, connection, input)
  }

/** Tries a few of the connections whose turn it is. Says how many, so that the caller asks again. */
export const checkDueConnections = (needs: CheckNeeds, settings: CheckSettings) => async (): Promise<number> => {
  const due = await needs.healthChecks.claimDue(fewAtOnce)
  const checked = await Promise.allSettled(due.map((connection) => check(needs, settings, connection, undefined)))
  const broken = checked.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // its turn comes again when its lease has run out
  return due.length
}

const fewAtOnce = 10

/** How it has been, newest first. */
export const readHealth =
  (needs: { connections: Connections; healthChecks: HealthChecks }) =>
  async (input: Pick<OnConnection, 'connectionId' | 'tenant'>): Promise<ConnectionHealth> => {
    const connection = await ownConnection(needs, input)
    return { connection, checks: await needs.healthChecks.history(connection.id) }
  }

export type ConnectionHealth = { connection: Connection; checks: HealthCheck[] }

async function check(
  needs: CheckNeeds,
  settings: CheckSettings,
  connection: Connection,
  asked: OnConnection | undefined,
): Promise<HealthCheck> {
  const integration = needs.integrations.find(connection.integration)
  const startedAt = needs.now().getTime()
  const { finding, owed } = await tryConnection(needs, settings, connection, integration)
  const durationMs = needs.now().getTime() - startedAt
  const pace = owed ? owedSeconds : (integration?.health.everySeconds ?? settings.healthSeconds)
  // Not in step: many connections were made, and broke, at the same moment.
  const nextInSeconds = pace * (0.9 + 0.2 * needs.chance())
  return needs.healthChecks.record({
    connection,
    finding,
    durationMs,
    nextInSeconds,
    ...onRecord(needs, connection, finding, asked),
  })
}

function onRecord({ tokens }: CheckNeeds, connection: Connection, { outcome, cause }: Finding, asked?: OnConnection) {
  const actor = asked?.actor ?? worker
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
    asked: asked && {
      action: 'connection.checked',
      ...about,
      reason: asked.reason,
      facts: { outcome },
      before: connectionState(connection),
      after: {},
    },
    event: { id: tokens.id('evt'), ...needsRelinkEvent(connection, found) },
  } satisfies Partial<Checked>
}

function changed(connection: Connection, status: Connection['status'], cause: Cause | undefined) {
  const before = connectionSnapshot(connection)
  return { before, after: { ...before, status, cause: cause ?? null } }
}

/** What is broken elsewhere says nothing about the grant. */
async function tryConnection(
  needs: CheckNeeds,
  settings: CheckSettings,
  connection: Connection,
  integration: Integration | undefined,
): Promise<Refreshing> {
  if (!integration) return unclear('integration_removed')
  try {
    const byRefresh = integration.health.by === 'refresh'
    const refreshed = byRefresh ? await refreshAndWriteBack(needs, settings, connection) : undefined
    return refreshed ?? { finding: await useFunction(needs, connection, integration), owed: false }
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    return unclear(error.cause)
  }
}

const unclear = (cause: Cause): Refreshing => ({ finding: { outcome: 'unclear', cause }, owed: false })

/** The function works with a token that is spent: what is owed to the platform cannot wait for the next turn. */
const owedSeconds = 20

async function useFunction({ platform }: CheckNeeds, connection: Connection, { health }: Integration) {
  const { functionUrl } = connection
  if (health.tool !== undefined) {
    return judgeTry(await platform.tryTool(functionUrl, { name: health.tool, arguments: health.arguments ?? {} }))
  }
  await platform.verifyFunction({ ...placeOf(connection), functionUrl })
  return { outcome: 'healthy' as const, cause: undefined }
}

/** The names of a connection on the platform. */
export const placeOf = ({ workspace, integration, id, name, functionName }: Connection) => ({
  workspace,
  integration,
  connectionId: id,
  connectionName: name,
  functionName,
})

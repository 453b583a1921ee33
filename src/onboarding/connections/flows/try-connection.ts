import { filledFor } from '../../domain/catalogue/integration-values.ts'
import type { Cause } from '../../domain/cause.ts'
import { type Connection, platformNames } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { isClientCause } from '../../domain/doctor/signals.ts'
import { type Finding, isBrokenGrant, judgeTry } from '../../domain/health/health.ts'
import { judgeRefusal } from '../../domain/health/refresh-refusal.ts'
import { firstRefusal, judgeUnexplained } from '../../domain/health/unexplained-refusal.ts'
import type { Integration } from '../../domain/integration.ts'
import { InsufficientScope } from '../../domain/mcp/step-up.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { clientOfGrants, findVerdict, noteRejection } from '../../provisioning/flows/client-verdict.ts'
import { causeIfForgotten } from '../../provisioning/flows/discover-server.ts'
import { tryHealthTool } from '../../provisioning/flows/verify-function.ts'
import { findClient, issuedTo, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { isAccountUnknown, type RefreshResult, refreshAndWriteBack } from './refresh-and-write-back.ts'
import { undefinedIfAway } from './tool-list.ts'

/** A failure elsewhere says nothing about the grant, so the outcome is `unclear`. */
export async function tryConnection(
  ports: Ports,
  settings: Settings,
  connection: Connection,
  integration: Integration | undefined,
): Promise<RefreshResult> {
  if (!integration) return unclear('integration_removed')
  try {
    const byRefresh = integration.health.by === 'refresh'
    const refreshed = byRefresh
      ? await refreshAndWriteBack(ports, settings, connection)
      : await refreshForAccount(ports, settings, connection, integration)
    const { finding, isWriteBackDue } =
      byRefresh && refreshed
        ? refreshed
        : {
            finding: await useFunction(ports, connection, integration),
            isWriteBackDue: refreshed?.isWriteBackDue ?? false,
          }
    const judged = await findingOfClient(ports, connection, finding)
    const repaired =
      !byRefresh && judged.isUnexplained && judged.outcome === 'broken' && mayRefresh(integration)
        ? await refreshAndWriteBack(ports, settings, connection, true).catch(undefinedIfAway)
        : undefined
    return repaired?.finding.outcome === 'healthy' ? repaired : { finding: judged, isWriteBackDue }
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    return unclear(error.cause, error.detail)
  }
}

/** Only if refresh tokens do not rotate, so that the platform’s token stays valid. */
const mayRefresh = ({ rotation, grant }: Integration): boolean => rotation === 'none' && grant === 'refresh'

const refreshForAccount = async (
  ports: Ports,
  settings: Settings,
  connection: Connection,
  integration: Integration,
): Promise<RefreshResult | undefined> =>
  isAccountUnknown(connection, integration) && mayRefresh(integration)
    ? refreshAndWriteBack(ports, settings, connection).catch(undefinedIfAway)
    : undefined

export const unclear = (cause: Cause, detail?: string): RefreshResult => ({
  finding: { outcome: 'unclear', cause, detail },
  isWriteBackDue: false,
})

/** Listing tools shows that the function responds. It does not use the grant, except for MCP servers. */
async function useFunction({ platform }: Ports, connection: Connection, integration: Integration): Promise<Finding> {
  const { functionUrl } = connection
  const tried = await tryHealthTool({ platform }, filledFor(integration, connection.config), connection)
  if (tried) return tried.failed && tried.unexplained ? judgeRefusal('unexplained') : judgeTry(tried)
  try {
    await platform.verifyFunction({ ...platformNames(connection), functionUrl })
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    const scope = error instanceof InsufficientScope ? error.scope : undefined
    if (isBrokenGrant(error.cause)) return { outcome: 'broken', cause: error.cause, scope }
    if (error.cause === 'refresh_refused') return judgeRefusal('unexplained')
    throw error
  }
  return { outcome: integration.mcpUrl === undefined ? 'untested' : 'healthy', cause: undefined }
}

/** A rejected client looks like a dead grant at providers that give no reason. */
export async function findingOfClient(ports: Ports, connection: Connection, finding: Finding): Promise<Finding> {
  const { isUnexplained, cause } = finding
  if (!isUnexplained && !(cause && isClientCause(cause))) return finding
  const ready = await findClient(ports, connection).catch(undefinedIfMissing)
  const issued = ready && (await clientOfGrant(ports, connection, ready))
  if (!isUnexplained && issued && cause) await noteRejection(ports, issued, cause)
  const judged = isUnexplained ? await judgeWithClient(ports, connection, issued) : finding
  return ready ? findingIfForgotten(ports, ready, { ...judged, detail: finding.detail }) : judged
}

async function clientOfGrant(ports: Ports, connection: Connection, ready: ReadyIntegration) {
  const grant = await ports.storedGrants.find(connection.id, 'current')
  return issuedTo(ready, grant?.clientId)
}

async function judgeWithClient(
  ports: Ports,
  connection: Connection,
  ready: ReadyIntegration | undefined,
): Promise<Finding> {
  const now = ports.now()
  const firstAt = firstRefusal(connection, await ports.healthChecks.history(connection.id))
  const client = ready && (await verdictFor(ports, connection, ready, firstAt !== undefined))
  const siblings =
    ready && firstAt && client?.is === 'unknown'
      ? await ports.doctorLedger.siblings(clientOfGrants(ready, connection.tenant), connection.id, firstAt)
      : undefined
  return judgeUnexplained({ now, firstAt, client, siblings })
}

/** In test mode there is no client to ask about. A connection that needs a re-link was judged with its client. */
async function verdictFor(ports: Ports, connection: Connection, ready: ReadyIntegration, isAgain: boolean) {
  const good = { is: 'good', at: ports.now() } as const
  if (isTestTenant(connection.tenant)) return good
  const isJudged = connection.status === 'needs_relink'
  // Without Redis nothing is known of the client, and the connection is checked again.
  const verdict = await findVerdict(ports, ready, { isAgain: isAgain && !isJudged }).catch(() => undefined)
  return verdict ?? (isJudged ? good : undefined)
}

/** A dynamically registered client that the server forgot is registered again at the next link. */
async function findingIfForgotten(ports: Ports, ready: ReadyIntegration, finding: Finding): Promise<Finding> {
  if (finding.cause !== 'client_rejected') return finding
  const cause = await causeIfForgotten(ports, ready, 'client_rejected')
  return cause === 'client_forgotten' ? { ...finding, outcome: 'broken', cause } : finding
}

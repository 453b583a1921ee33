// Uses a connection once, to find out whether its grant still works.
import type { Cause } from '../../domain/cause.ts'
import { type Connection, platformNames } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { type Finding, isBrokenGrant, judgeTry } from '../../domain/health/health.ts'
import { judgeRefusal } from '../../domain/health/refresh-refusal.ts'
import type { Integration } from '../../domain/integration.ts'
import { InsufficientScope } from '../../domain/mcp/step-up.ts'
import type { RegisteredClients } from '../../domain/ports/mcp-servers.ts'
import type { Settings } from '../../domain/settings.ts'
import { causeIfForgotten } from '../../provisioning/flows/forgotten-client.ts'
import { tryHealthTool } from '../../provisioning/flows/verify-function.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { isAccountUntold } from './learn-account.ts'
import { type RefreshNeeds, type RefreshResult, refreshAndWriteBack } from './refresh-and-write-back.ts'
import { undefinedIfAway } from './tool-list.ts'

export type TryNeeds = RefreshNeeds & { registeredClients: RegisteredClients }
type TrySettings = Pick<Settings, 'connectionPut'>

/** A failure elsewhere says nothing about the grant: the outcome is unclear. */
export async function tryConnection(
  needs: TryNeeds,
  settings: TrySettings,
  connection: Connection,
  integration: Integration | undefined,
): Promise<RefreshResult> {
  if (!integration) return unclear('integration_removed')
  try {
    const byRefresh = integration.health.by === 'refresh'
    const refreshed = byRefresh
      ? await refreshAndWriteBack(needs, settings, connection)
      : await refreshForAccount(needs, settings, connection, integration)
    const { finding, isWriteBackDue } =
      byRefresh && refreshed
        ? refreshed
        : {
            finding: await useFunction(needs, connection, integration),
            isWriteBackDue: refreshed?.isWriteBackDue ?? false,
          }
    return { finding: await findingIfForgotten(needs, connection, finding), isWriteBackDue }
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    return unclear(error.cause, error.detail)
  }
}

/** A refresh may say whose account it is. Only where refresh tokens do not rotate, so that the platform's stays valid. */
const refreshForAccount = async (
  needs: TryNeeds,
  settings: TrySettings,
  connection: Connection,
  integration: Integration,
): Promise<RefreshResult | undefined> =>
  isAccountUntold(connection, integration) && integration.rotation === 'none' && integration.grant === 'refresh'
    ? refreshAndWriteBack(needs, settings, connection).catch(undefinedIfAway)
    : undefined

export const unclear = (cause: Cause, detail?: string): RefreshResult => ({
  finding: { outcome: 'unclear', cause, detail },
  isWriteBackDue: false,
})

/** Listing tools shows that a function responds. It says nothing about the grant, which is not used for it. */
async function useFunction({ platform }: TryNeeds, connection: Connection, integration: Integration): Promise<Finding> {
  const { functionUrl, unexplainedRefusals } = connection
  const tried = await tryHealthTool({ platform }, integration, functionUrl)
  if (tried)
    return tried.failed && tried.unexplained ? judgeRefusal('unexplained', unexplainedRefusals) : judgeTry(tried)
  try {
    await platform.verifyFunction({ ...platformNames(connection), functionUrl })
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    const scope = error instanceof InsufficientScope ? error.scope : undefined
    if (isBrokenGrant(error.cause)) return { outcome: 'broken', cause: error.cause, scope }
    if (error.cause === 'refresh_refused') return judgeRefusal('unexplained', unexplainedRefusals)
    throw error
  }
  // An MCP server was asked for its tools by the grant; any other function knows its tools by itself.
  return { outcome: integration.mcpUrl === undefined ? 'untested' : 'healthy', cause: undefined }
}

/** A client that registered itself is registered again when the account is linked again. */
async function findingIfForgotten(needs: TryNeeds, connection: Connection, finding: Finding): Promise<Finding> {
  const ready = finding.cause === 'client_rejected' && (await findClient(needs, connection).catch(undefinedIfMissing))
  return ready ? { ...finding, cause: await causeIfForgotten(needs, ready, 'client_rejected') } : finding
}

import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Connection } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { type Finding, isBrokenGrant } from '../../domain/health/health.ts'
import { judgeRefusal, RefreshRefused } from '../../domain/health/refresh-refusal.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Connections, StoredGrants } from '../../domain/ports/connections.ts'
import type { Platform, PlatformGrant } from '../../domain/ports/platform.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Integrations, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { Settings } from '../../domain/settings.ts'
import { openStoredGrant } from '../../provisioning/flows/stored-grant.ts'
import { findClient, issuedTo } from '../../tenants/flows/find-client.ts'
import { learnAccount } from './learn-account.ts'

export type RefreshNeeds = {
  connections: Connections
  storedGrants: StoredGrants
  tenants: Tenants
  integrations: Integrations
  provider: Provider
  platform: Platform
  seal: Seal
  tokens: Tokens
}

/** `isWriteBackDue`: the platform still has a refresh token that was replaced. */
export type RefreshResult = { finding: Finding; isWriteBackDue: boolean }

/**
 * For providers whose grants end unless they are refreshed, behind a platform that does not refresh: the grant is used
 * here, and the platform gets the new token. Returns undefined if no grant is stored, or the platform accepts none.
 * One at a time, and never beside a re-link or a task: a refresh token that is sent twice may end the whole grant.
 */
export async function refreshAndWriteBack(
  needs: RefreshNeeds,
  { connectionPut }: Pick<Settings, 'connectionPut'>,
  connection: Connection,
): Promise<RefreshResult | undefined> {
  if (!connectionPut) return undefined
  const lock = { id: connection.id, holder: needs.tokens.id('chk') }
  if (!(await needs.connections.lockBriefly(lock.id, lock.holder))) throw new DependencyError('connection_busy')
  try {
    // Asked under the lock: a grant that was replaced before it is nobody's to refresh.
    const current = (await isNewest(needs, connection)) && (await needs.storedGrants.find(lock.id, 'current'))
    const opened = current ? openStoredGrant(needs, connection, current) : undefined
    return current && opened
      ? await refresh(needs, connection, { ...opened, linkId: current.linkId, clientId: current.clientId }, lock)
      : undefined
  } finally {
    await needs.connections.unlock(lock.id, lock.holder)
  }
}

type Lock = { id: string; holder: string }
type OpenedGrant = { raw: Secret; trialRefresh: Secret | undefined; linkId: string; clientId: string | undefined }

async function refresh(
  needs: RefreshNeeds,
  connection: Connection,
  grant: OpenedGrant,
  lock: Lock,
): Promise<RefreshResult | undefined> {
  // A provider would take another client's request for a grant that is dead.
  const ready = issuedTo(await findClient(needs, connection), grant.clientId)
  if (!ready) return undefined
  const at = { id: grant.linkId, tenant: connection.tenant, workspace: connection.workspace }
  let { trialRefresh } = grant
  let newest: Secret | undefined
  const keep = async (answer: Secret) => {
    newest = answer
    const kept = needs.provider.refreshToKeep(grant.trialRefresh, answer)
    if (!kept) return
    await needs.storedGrants.keepTrialRefresh(grant.linkId, needs.seal.seal(kept, sealContext.trialRefresh(at)))
    trialRefresh = kept
  }
  let rotated: boolean
  try {
    rotated = (await needs.provider.refresh({ ...ready, ...grant, keep })).rotated
  } catch (error) {
    if (error instanceof RefreshRefused && !isBroken(error, ready.integration)) {
      const finding = judgeRefusal(error.refusal, connection.unexplainedRefusals, error.detail)
      return { finding, isWriteBackDue: false }
    }
    if (!(error instanceof DependencyError && isBroken(error, ready.integration))) throw error
    return { finding: { outcome: 'broken', cause: error.cause }, isWriteBackDue: false }
  }
  if (newest) await learnAccount(needs, connection, ready, newest)
  const tokens = needs.provider.tokensOf(ready.integration, grant.raw, trialRefresh)
  // A token that was replaced before may not have reached the platform yet.
  if (!tokens || !(rotated || grant.trialRefresh)) return healthy
  return writeBack(needs, connection, { client: ready.client, config: connection.config, ...tokens }, lock)
}

async function writeBack(
  needs: RefreshNeeds,
  connection: Connection,
  grant: PlatformGrant,
  { id, holder }: Lock,
): Promise<RefreshResult> {
  try {
    // If another worker took over because this took too long, it writes its own grant.
    const isOurs = (await needs.connections.lockBriefly(id, holder)) && (await isNewest(needs, connection))
    const at = { ...connection, connectionId: id, connectionName: connection.name }
    if (isOurs) await needs.platform.replaceConnection(at, grant)
    return healthy
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    return { finding: { outcome: 'unclear', cause: error.cause }, isWriteBackDue: true }
  }
}

const isNewest = async ({ connections }: RefreshNeeds, { id, grantVersion }: Connection): Promise<boolean> =>
  (await connections.find(id))?.grantVersion === grantVersion

const healthy: RefreshResult = { finding: { outcome: 'healthy', cause: undefined }, isWriteBackDue: false }

/** The token that a response hides is the only good one where tokens rotate: the user has to link the account again. */
const isBroken = ({ cause }: DependencyError, { rotation }: Integration): boolean =>
  isBrokenGrant(cause) || (cause === 'answer_unreadable' && rotation !== 'none')

import type { Secret } from '../../../kit/crypto/secret.ts'
import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { type Connection, connectionSnapshot } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { type Finding, isBrokenGrant } from '../../domain/health/health.ts'
import { judgeRefusal, RefreshRefused } from '../../domain/health/refresh-refusal.ts'
import type { Integration } from '../../domain/integration.ts'
import type { UpstreamAccount } from '../../domain/link.ts'
import type { PlatformGrant } from '../../domain/ports/platform.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { Settings } from '../../domain/settings.ts'
import { openStoredGrant } from '../../provisioning/flows/stored-grant.ts'
import { findClient, issuedTo, type ReadyIntegration } from '../../tenants/flows/find-client.ts'

export type RefreshResult = { finding: Finding; isWriteBackDue: boolean }

/**
 * Locks out re-links and tasks: sending a refresh token twice may end the grant. Undefined if no grant is stored.
 * `isCopyOld`: the platform may have an earlier secret of the client, so it is written even if the token is unchanged.
 */
export async function refreshAndWriteBack(
  ports: Ports,
  { connectionPut }: Settings,
  connection: Connection,
  isCopyOld = false,
): Promise<RefreshResult | undefined> {
  if (!connectionPut) return undefined
  const lock = { id: connection.id, holder: ports.tokens.id('chk') }
  if (!(await ports.connections.lockBriefly(lock.id, lock.holder))) throw new DependencyError('connection_busy')
  try {
    // Read under the lock, because a replaced grant must not be refreshed.
    const current = (await isNewest(ports, connection)) && (await ports.storedGrants.find(lock.id, 'current'))
    const opened = current ? openStoredGrant(ports, connection, current) : undefined
    return current && opened
      ? await refresh(
          ports,
          connection,
          { ...opened, linkId: current.linkId, clientId: current.clientId, isCopyOld },
          lock,
        )
      : undefined
  } finally {
    await ports.connections.unlock(lock.id, lock.holder)
  }
}

type Lock = { id: string; holder: string }
type OpenedGrant = {
  raw: Secret
  trialRefresh: Secret | undefined
  linkId: string
  clientId: string | undefined
  isCopyOld: boolean
}

async function refresh(
  ports: Ports,
  connection: Connection,
  grant: OpenedGrant,
  lock: Lock,
): Promise<RefreshResult | undefined> {
  // To another client the provider would report a dead grant.
  const ready = issuedTo(await findClient(ports, connection), grant.clientId)
  if (!ready) return undefined
  const at = { id: grant.linkId, tenant: connection.tenant, workspace: connection.workspace }
  let { trialRefresh } = grant
  let newest: Secret | undefined
  const keep = async (answer: Secret) => {
    newest = answer
    const kept = ports.provider.refreshToKeep(grant.trialRefresh, answer)
    if (!kept) return
    await ports.storedGrants.keepTrialRefresh(grant.linkId, ports.seal.seal(kept, sealContext.trialRefresh(at)))
    trialRefresh = kept
  }
  let rotated: boolean
  try {
    rotated = (await ports.provider.refresh({ ...ready, ...grant, keep })).rotated
  } catch (error) {
    if (error instanceof RefreshRefused && !isBroken(error, ready.integration)) {
      return { finding: judgeRefusal(error.refusal, error.detail), isWriteBackDue: false }
    }
    if (!(error instanceof DependencyError && isBroken(error, ready.integration))) throw error
    return { finding: { outcome: 'broken', cause: error.cause }, isWriteBackDue: false }
  }
  if (newest) await learnAccount(ports, connection, ready, newest)
  const tokens = ports.provider.tokensOf(ready.integration, grant.raw, trialRefresh)
  // An earlier replacement may not have reached the platform yet.
  if (!tokens || !(rotated || grant.trialRefresh || grant.isCopyOld)) return healthy
  return writeBack(ports, connection, { client: ready.client, config: connection.config, ...tokens }, lock)
}

async function writeBack(
  ports: Ports,
  connection: Connection,
  grant: PlatformGrant,
  { id, holder }: Lock,
): Promise<RefreshResult> {
  try {
    // If another worker took over the lock, it writes its own grant.
    const isOurs = (await ports.connections.lockBriefly(id, holder)) && (await isNewest(ports, connection))
    const at = { ...connection, connectionId: id, connectionName: connection.name }
    if (isOurs) await ports.platform.replaceConnection(at, grant)
    return healthy
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    return { finding: { outcome: 'unclear', cause: error.cause }, isWriteBackDue: true }
  }
}

const isNewest = async ({ connections }: Ports, { id, grantVersion }: Connection): Promise<boolean> =>
  (await connections.find(id))?.grantVersion === grantVersion

const healthy: RefreshResult = { finding: { outcome: 'healthy', cause: undefined }, isWriteBackDue: false }

/** If tokens rotate, an unreadable response holds the only valid token, so the user must re-link. */
const isBroken = ({ cause }: DependencyError, { rotation }: Integration): boolean =>
  isBrokenGrant(cause) || (cause === 'answer_unreadable' && rotation !== 'none')

/** Imports may omit the account, and an older profile may not have requested it. */
export const isAccountUnknown = ({ account }: Connection, integration: Pick<Integration, 'account'>): boolean =>
  account === undefined && integration.account.from !== 'none'

/** Until the account is known, a re-link from support accepts any account. */
async function learnAccount(
  { connections, provider }: Pick<Ports, 'connections' | 'provider'>,
  connection: Connection,
  ready: ReadyIntegration,
  answer: Secret,
): Promise<void> {
  if (!isAccountUnknown(connection, ready.integration)) return
  const described = provider.describeRefresh({ ...ready, config: connection.config }, answer)
  const account = await described.then(({ account }) => account, undefinedIfUnavailable)
  if (!account) return
  const before = connectionSnapshot(connection)
  await connections.pinAccount(connection, account, {
    action: 'connection.account_learned',
    actor: worker,
    ...aboutConnection(connection),
    before,
    after: { ...before, account: account.label },
  })
}

/** A provider that does not report the account says nothing about the grant. */
function undefinedIfUnavailable(error: unknown): UpstreamAccount | undefined {
  if (error instanceof DependencyError) return undefined
  throw error
}

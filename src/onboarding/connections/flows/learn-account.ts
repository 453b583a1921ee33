import type { Secret } from '../../../kit/crypto/secret.ts'
import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { type Connection, connectionSnapshot } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Integration } from '../../domain/integration.ts'
import type { UpstreamAccount } from '../../domain/link.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

/** Of an import nobody may have said whose it is, and an older profile may not have asked. */
export const isAccountUntold = ({ account }: Connection, integration: Pick<Integration, 'account'>): boolean =>
  account === undefined && integration.account.from !== 'none'

type Needs = { connections: Pick<Connections, 'pinAccount'>; provider: Pick<Provider, 'describeRefresh'> }

/**
 * Pins a connection to its account as soon as an answer of the provider says whose it is: until then a reconnect link of
 * support takes the account of whoever opens it. `answer`: to a refresh of the grant in use.
 */
export async function learnAccount(
  { connections, provider }: Needs,
  connection: Connection,
  ready: ReadyIntegration,
  answer: Secret,
): Promise<void> {
  if (!isAccountUntold(connection, ready.integration)) return
  const described = provider.describeRefresh({ ...ready, config: connection.config }, answer)
  const account = await described.then(({ account }) => account, undefinedIfUntold)
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

/** That the provider does not say it, or not now, is no finding about the grant. */
function undefinedIfUntold(error: unknown): UpstreamAccount | undefined {
  if (error instanceof DependencyError) return undefined
  throw error
}

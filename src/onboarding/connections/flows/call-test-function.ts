import { missing } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Caller } from '../../domain/tenant.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { readConnection } from './read-connections.ts'

export type TestFunction = { integration: string; account: string | undefined; hasAccess: boolean }

/** What the MCP server of a connection in test mode tells. */
export async function openTestFunction(
  ports: Pick<Ports, 'connections'>,
  { caller, connectionId }: { caller: Caller; connectionId: string },
): Promise<TestFunction> {
  const { tenant, integration, account, status } = await readConnection(ports, { caller, id: connectionId })
  if (!isTestTenant(tenant) || status === 'disconnected') throw missing('function')
  return { integration, account: account?.label, hasAccess: status === 'active' }
}

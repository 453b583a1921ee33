import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import type { Approval } from '../../domain/ports/connections.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { type ConnectionInSight, liveConnection } from './own-connection.ts'

/** Of the last 30 days, newest first. */
export async function readApprovals(
  ports: Pick<Ports, 'connections' | 'approvals'>,
  input: ConnectionInSight,
): Promise<Approval[]> {
  const connection = await liveConnection(ports, input)
  // Test mode does not use the platform.
  if (isTestTenant(connection.tenant)) return []
  const found = await ports.approvals.of(connection).catch(throwUnavailable)
  return found.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error
  throw new Failure('platform_unavailable', 'The platform is not responding as expected.', { cause: error })
}

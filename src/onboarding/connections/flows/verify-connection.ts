import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { connectionState, platformNames } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { linkedConnection, type OnConnection } from './own-connection.ts'

export async function verifyConnection(
  { connections, platform, audit, rates }: Pick<Ports, 'connections' | 'platform' | 'audit' | 'rates'>,
  settings: Settings,
  input: OnConnection,
): Promise<{ tools: string[] }> {
  const connection = await linkedConnection({ connections }, input)
  const { functionUrl, id } = connection
  await limitRate({ rates }, settings.rates.check, id)
  const state = connectionState(connection)
  const { actor, reason } = input
  const about = { actor, ...aboutConnection(connection), reason, before: state, after: state }
  const { tools } = await platform
    .verifyFunction({ ...platformNames(connection), functionUrl })
    .catch(async (error) => {
      if (!(error instanceof DependencyError)) throw error
      await audit.note({ action: 'connection.verify_failed', ...about, facts: { cause: error.cause } })
      throw new Failure('platform_unavailable', 'The function of this connection is not responding.', {
        cause: error,
      })
    })
  await audit.note({ action: 'connection.verified', ...about, facts: { tools } })
  return { tools }
}

import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { connectionState, platformNames } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { Platform } from '../../domain/ports/platform.ts'
import type { Audit, RateLimits } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { liveConnection, type OnConnection } from './own-connection.ts'

/** Lists the function's tools as a new MCP client would. */
export const verifyConnection =
  (
    {
      connections,
      platform,
      audit,
      rates,
    }: { connections: Connections; platform: Platform; audit: Audit; rates: RateLimits },
    settings: Pick<Settings, 'rates'>,
  ) =>
  async (input: OnConnection): Promise<{ tools: string[] }> => {
    const connection = await liveConnection({ connections }, input)
    const { functionUrl, id } = connection
    await limitRate({ rates })(settings.rates.check, id)
    const state = connectionState(connection)
    const about = {
      actor: input.actor,
      ...aboutConnection(connection),
      reason: input.reason,
      before: state,
      after: state,
    }
    const { tools } = await platform
      .verifyFunction({ ...platformNames(connection), functionUrl })
      .catch(async (error) => {
        if (!(error instanceof DependencyError)) throw error
        // A failed attempt is audited, too.
        await audit.note({ action: 'connection.verify_failed', ...about, facts: { cause: error.cause } })
        throw new Failure('platform_unavailable', 'The function of this connection is not responding.', {
          cause: error,
        })
      })
    await audit.note({ action: 'connection.verified', ...about, facts: { tools } })
    return { tools }
  }

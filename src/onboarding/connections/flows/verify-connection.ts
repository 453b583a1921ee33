import { aboutConnection } from '../../domain/audit-entry.ts'
import { connectionState } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { Platform } from '../../domain/ports/platform.ts'
import type { Audit, RateLimits } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { placeOf } from './check-health.ts'
import { liveConnection, type OnConnection } from './own-connection.ts'

/** What the function offers right now, to a client that nobody prepared. */
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
    const { tools } = await platform.verifyFunction({ ...placeOf(connection), functionUrl }).catch(async (error) => {
      if (!(error instanceof DependencyError)) throw error
      // Whoever looks later wants to know that it was tried, most of all when it did not work.
      await audit.note({ action: 'connection.verify_failed', ...about, facts: { cause: error.cause } })
      throw new Failure('platform_unavailable', 'The function of this connection is not responding.', { cause: error })
    })
    await audit.note({ action: 'connection.verified', ...about, facts: { tools } })
    return { tools }
  }

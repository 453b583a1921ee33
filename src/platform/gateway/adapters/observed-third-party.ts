import type { Metrics } from '../../../kit/process/metrics.ts'
import type { Tracing } from '../../../kit/tracing/tracing.ts'
import { ClientRejected, GrantRevoked, ProfileMismatch, RefreshRefused, ThirdPartyError } from '../domain/connection.ts'
import type { ApiAnswer, ThirdParty } from '../domain/ports.ts'

type Reports = { processMetrics: Metrics; tracing: Tracing }

/**
 * The same, counted: how long third parties take, and what becomes of refreshes, by integration. They are told nothing
 * of the trace that a call is a part of.
 */
export function observedThirdParty<T extends ThirdParty>(thirdParty: T, { processMetrics, tracing }: Reports): T {
  const labels = ['call', 'outcome'] as const
  const seconds = processMetrics.histogram('third_party_seconds', 'Time of calls to third parties.', labels)
  const refreshLabels = ['integration', 'outcome'] as const
  const refreshes = processMetrics.counter('grant_refreshes_total', 'Grants refreshed by the gateway.', refreshLabels)
  const timed = async <A>(call: 'refresh' | 'api', act: () => Promise<A>, outcomeOf: (answer: A) => string) => {
    const startedAt = performance.now()
    const end = (outcome: string) => {
      seconds.observe({ call, outcome }, (performance.now() - startedAt) / 1_000)
    }
    const span = { attributes: { call }, kind: 'client' } as const
    try {
      const answer = await tracing.span('call.third_party', span, act)
      end(outcomeOf(answer))
      return answer
    } catch (error) {
      end(failureOf(error))
      throw error
    }
  }
  return {
    ...thirdParty,
    async refresh(integration, connection) {
      const count = (outcome: string) => refreshes.inc({ integration: integration.id, outcome })
      try {
        const answer = await timed(
          'refresh',
          () => thirdParty.refresh(integration, connection),
          () => 'done',
        )
        count('done')
        return answer
      } catch (error) {
        count(failureOf(error))
        throw error
      }
    },
    call: (...args) => timed('api', () => thirdParty.call(...args), answered),
  }
}

function answered({ status }: ApiAnswer): string {
  if (status < 400) return 'done'
  return status < 500 ? 'refused' : 'failed'
}

function failureOf(error: unknown): string {
  if (error instanceof GrantRevoked) return 'grant_revoked'
  if (error instanceof ClientRejected) return 'client_rejected'
  if (error instanceof RefreshRefused) return 'refresh_refused'
  if (error instanceof ProfileMismatch) return 'profile_mismatch'
  return error instanceof ThirdPartyError ? 'unavailable' : 'error'
}

import type { Metrics } from '../../../kit/process/metrics.ts'
import { ClientRejected, GrantRevoked, RefreshRefused, ThirdPartyError } from '../domain/connection.ts'
import type { ThirdParty } from '../domain/ports.ts'

/** The same, counted: how long third parties take, and what becomes of refreshes, by integration. */
export function observedThirdParty<T extends ThirdParty>(thirdParty: T, metrics: Metrics): T {
  const seconds = metrics.histogram('third_party_seconds', 'Time of calls to third parties.', ['call', 'outcome'])
  const refreshes = metrics.counter('grant_refreshes_total', 'Grants refreshed by the gateway.', [
    'integration',
    'outcome',
  ])
  return {
    ...thirdParty,
    async refresh(integration, connection) {
      const startedAt = performance.now()
      const end = (outcome: string) => {
        refreshes.inc({ integration: integration.id, outcome })
        seconds.observe({ call: 'refresh', outcome }, (performance.now() - startedAt) / 1_000)
      }
      try {
        const answer = await thirdParty.refresh(integration, connection)
        end('done')
        return answer
      } catch (error) {
        end(outcomeOf(error))
        throw error
      }
    },
    async call(...args) {
      const startedAt = performance.now()
      const end = (outcome: string) =>
        seconds.observe({ call: 'api', outcome }, (performance.now() - startedAt) / 1_000)
      try {
        const answer = await thirdParty.call(...args)
        end(answer.status < 400 ? 'done' : answer.status < 500 ? 'refused' : 'failed')
        return answer
      } catch (error) {
        end(outcomeOf(error))
        throw error
      }
    },
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof GrantRevoked) return 'grant_revoked'
  if (error instanceof ClientRejected) return 'client_rejected'
  if (error instanceof RefreshRefused) return 'refresh_refused'
  return error instanceof ThirdPartyError ? 'unavailable' : 'error'
}

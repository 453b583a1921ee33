import type { Metrics } from '../../../kit/process/metrics.ts'
import type { Tracing } from '../../../kit/tracing/tracing.ts'
import { platformMetrics } from '../../shared/domain/metrics.ts'
import { ClientRejected, GrantRevoked, ProfileMismatch, RefreshRefused, ThirdPartyError } from '../domain/connection.ts'
import type { ToolResult } from '../domain/mcp.ts'
import type { SendRelayed, ThirdParty } from '../domain/ports.ts'

type Reports = { processMetrics: Metrics; tracing: Tracing }

type Observed = ThirdParty & { sendRelayed: SendRelayed }

/** Adds metrics and spans. Trace context is not sent to third parties. */
export function observedThirdParty<T extends Observed>(thirdParty: T, { processMetrics, tracing }: Reports): T {
  const seconds = processMetrics.histogram(platformMetrics.thirdPartySeconds)
  const refreshes = processMetrics.counter(platformMetrics.grantRefreshes)
  const timed = async <A>(call: 'refresh' | 'api', act: () => Promise<A>, outcomeOf: (answer: A) => string) => {
    const startedAt = performance.now()
    let outcome = 'error'
    try {
      const answer = await tracing.span('call.third_party', { attributes: { call }, kind: 'client' }, act)
      outcome = outcomeOf(answer)
      return answer
    } catch (error) {
      outcome = failureOf(error)
      throw error
    } finally {
      seconds.observe({ call, outcome }, (performance.now() - startedAt) / 1_000)
    }
  }
  return {
    ...thirdParty,
    refresh(integration, connection) {
      const count = (outcome: string) => refreshes.inc({ integration: integration.id, outcome })
      const refreshed = timed(
        'refresh',
        () => thirdParty.refresh(integration, connection),
        () => 'done',
      )
      refreshed.then(
        () => count('done'),
        (error) => count(failureOf(error)),
      )
      return refreshed
    },
    call: (...args) => timed('api', () => thirdParty.call(...args), answered),
    sendRelayed: (request) => timed('api', () => thirdParty.sendRelayed(request), answered),
  }
}

function answered({ status }: { status: number }): string {
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

type OpenTool = { integration: { id: string } }

type CallTool<Open extends OpenTool, Rest extends unknown[], Result extends ToolResult> = (
  open: Open,
  ...rest: Rest
) => Promise<Result>

export function toolCallObserver(metrics: Metrics) {
  const calls = metrics.counter(platformMetrics.toolCalls)
  const seconds = metrics.histogram(platformMetrics.toolCallSeconds)
  return <Open extends OpenTool, Rest extends unknown[], Result extends ToolResult>(
    call: CallTool<Open, Rest, Result>,
  ): CallTool<Open, Rest, Result> =>
    async (open, ...rest) => {
      const startedAt = performance.now()
      const end = (outcome: string) => {
        calls.inc({ integration: open.integration.id, outcome })
        seconds.observe({}, (performance.now() - startedAt) / 1_000)
      }
      try {
        const result = await call(open, ...rest)
        end(result.code ?? (result.isError ? 'failed' : 'done'))
        return result
      } catch (error) {
        end('crashed')
        throw error
      }
    }
}

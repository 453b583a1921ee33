import type { LogFields } from '../../../kit/process/log.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { intercept } from '../../domain/ports/intercept.ts'
import { type Platform, type Provisioning, platformCalls, platformMethods } from '../../domain/ports/platform.ts'
import { type Provider, providerCalls, providerMethods } from '../../domain/ports/provider.ts'
import { onboardingMetrics } from '../../domain/reports/metrics.ts'
import { isTestClient, isTestWorkspace } from '../../domain/test-mode/test-mode.ts'
import type { Reports } from './reports.ts'

type Calls = { provider: Provider; platform: Platform }

export function observedCalls({ provider, platform }: Calls, reports: Reports): Calls {
  const timed = timer(reports)
  const refreshed = refreshCounter(reports)
  return {
    provider: intercept(provider, providerMethods, ({ method, args }, next) => {
      const [{ integration, client, traceparent }] = args
      if (isTestClient(client)) return next(...args)
      const about = { call: providerCalls[method], ids: { integration: integration.id }, traceparent }
      const sent = timed('call.provider', about, () => next(...args))
      return method === 'refresh' ? refreshed(integration.id, sent) : sent
    }),
    platform: intercept(platform, platformMethods, ({ method, args: [at, ...rest] }, next) => {
      const about = { call: platformCalls[method], ids: idsOf(at), traceparent: at.traceparent }
      return isTestWorkspace(at.workspace)
        ? next(at, ...rest)
        : timed('call.platform', about, (traceparent) => next({ ...at, traceparent }, ...rest))
    }),
  }
}

const idsOf = ({ connectionId, integration, workspace }: Partial<Provisioning>): LogFields => ({
  connection: connectionId,
  integration,
  workspace,
})

function refreshCounter({ metrics }: Reports) {
  const refreshes = metrics.counter(onboardingMetrics.grantRefreshes)
  return async <T>(integration: string, refreshing: Promise<T>): Promise<T> => {
    const count = (outcome: string) => refreshes.inc({ integration, outcome })
    try {
      const result = await refreshing
      count('done')
      return result
    } catch (error) {
      count(causeOf(error))
      throw error
    }
  }
}

const causeOf = (error: unknown): string => (error instanceof DependencyError ? error.cause : 'error')

type About = { call: string; ids: LogFields; traceparent: string | undefined }

function timer({ log, metrics, tracing }: Reports) {
  const calls = metrics.histogram(onboardingMetrics.outsideSeconds)
  return async <T>(
    name: 'call.provider' | 'call.platform',
    { call, ids, traceparent: parent }: About,
    act: (traceparent: string | undefined) => Promise<T>,
  ): Promise<T> => {
    const attributes = { call, 'connection.id': ids.connection, 'integration.id': ids.integration }
    const span = { attributes, parent, kind: 'client' } as const
    const startedAt = performance.now()
    const end = (outcome: string) => {
      const durationMs = performance.now() - startedAt
      calls.observe({ call, outcome }, durationMs / 1_000)
      return Math.round(durationMs)
    }
    try {
      const result = await tracing.span(name, span, ({ traceparent }) => act(traceparent))
      end('done')
      return result
    } catch (error) {
      const cause = causeOf(error)
      const durationMs = end(cause)
      if (error instanceof DependencyError)
        log('call.failed', { ...ids, call, cause, durationMs, detail: ownWords(error) })
      throw error
    }
  }
}

/** Output of a function's container is only in the audit: logs do not contain texts of third parties. */
const ownWords = ({ cause, detail }: DependencyError): string | undefined =>
  cause === 'function_failed' || detail === '' ? undefined : detail

import type { LogFields } from '../../../kit/process/log.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Platform, Provisioning } from '../../domain/ports/platform.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import { isTestClient, isTestWorkspace } from '../../domain/test-mode/test-mode.ts'
import type { Reports } from './reports.ts'

type ClientCall = { integration: { id: string }; client: { id: string } }

type Calls = { provider: Provider; platform: Platform }

/** Calls to other servers: how long they take, and one line for each that failed. */
export function observedCalls({ provider, platform }: Calls, reports: Reports): Calls {
  const timed = timer(reports)
  const atProvider = <T>(call: ProviderCall, { integration, client }: ClientCall, act: () => Promise<T>) =>
    isTestClient(client) ? act() : timed(call, { integration: integration.id }, act)
  const refreshed = refreshCounter(reports)
  return {
    provider: {
      ...provider,
      exchange: (request) => atProvider('exchange', request, () => provider.exchange(request)),
      refresh: (request) =>
        refreshed(
          request,
          atProvider('refresh', request, () => provider.refresh(request)),
        ),
      revoke: (request, ...rest) => atProvider('revocation', request, () => provider.revoke(request, ...rest)),
    },
    platform: {
      ...platform,
      createConnection: (at, ...rest) => timed('connection', idsOf(at), () => platform.createConnection(at, ...rest)),
      createFunction: (at, ...rest) => timed('function', idsOf(at), () => platform.createFunction(at, ...rest)),
      verifyFunction: (at) => timed('verification', idsOf(at), () => platform.verifyFunction(at)),
      replaceConnection: (at, ...rest) =>
        timed('replacement', idsOf(at), () => platform.replaceConnection(at, ...rest)),
      pointFunction: (at, ...rest) => timed('function', idsOf(at), () => platform.pointFunction(at, ...rest)),
      restartFunction: (at, ...rest) => timed('restart', idsOf(at), () => platform.restartFunction(at, ...rest)),
      deleteFunction: (at, ...rest) =>
        timed('function_deletion', idsOf(at), () => platform.deleteFunction(at, ...rest)),
      deleteConnection: (at, ...rest) =>
        timed('connection_deletion', idsOf(at), () => platform.deleteConnection(at, ...rest)),
      tryTool: (...args) => timed('tool', {}, () => platform.tryTool(...args)),
    },
  }
}

const providerCalls = ['exchange', 'refresh', 'revocation'] as const
type ProviderCall = (typeof providerCalls)[number]

type PlatformCall =
  | 'connection'
  | 'function'
  | 'verification'
  | 'replacement'
  | 'restart'
  | 'function_deletion'
  | 'connection_deletion'
  | 'tool'

type Call = ProviderCall | PlatformCall

const isProviderCall = (call: Call): boolean => (providerCalls as readonly Call[]).includes(call)

const idsOf = ({ connectionId, integration, workspace }: Provisioning): LogFields => ({
  connection: connectionId,
  integration,
  workspace,
})

/** By integration: a provider whose refreshes begin to fail is seen here before its users see it. */
function refreshCounter({ metrics }: Reports) {
  const refreshes = metrics.counter('grant_refreshes_total', 'Grants refreshed from here.', ['integration', 'outcome'])
  return async <T>({ integration, client }: ClientCall, refreshing: Promise<T>): Promise<T> => {
    if (isTestClient(client)) return refreshing
    const count = (outcome: string) => refreshes.inc({ integration: integration.id, outcome })
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

function timer({ log, metrics, tracing }: Reports) {
  const calls = metrics.histogram('outside_seconds', 'Time of calls to other servers.', ['call', 'outcome'])
  return async <T>(call: Call, ids: LogFields, work: () => Promise<T>): Promise<T> => {
    // In test mode no other server is called.
    if (isTestWorkspace(String(ids.workspace))) return work()
    const attributes = { call, 'connection.id': ids.connection, 'integration.id': ids.integration }
    const act = () =>
      tracing.span(isProviderCall(call) ? 'call.provider' : 'call.platform', { attributes, kind: 'client' }, work)
    const startedAt = performance.now()
    const end = (outcome: string) => {
      const durationMs = performance.now() - startedAt
      calls.observe({ call, outcome }, durationMs / 1_000)
      return Math.round(durationMs)
    }
    try {
      const result = await act()
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

/** What a function's container said stands in the audit alone: no log is a place for other people's texts. */
const ownWords = ({ cause, detail }: DependencyError): string | undefined =>
  cause === 'function_failed' || detail === '' ? undefined : detail

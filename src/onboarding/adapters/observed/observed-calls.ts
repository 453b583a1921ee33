import type { LogFields } from '../../../kit/process/log.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Platform, Provisioning } from '../../domain/ports/platform.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import { isTestClient, isTestWorkspace } from '../../domain/test-mode/test-mode.ts'
import type { Reports } from './reports.ts'

type ClientCall = { integration: { id: string }; client: { id: string }; traceparent?: string | undefined }

type Calls = { provider: Provider; platform: Platform }

/** Calls to other servers: how long they take, and one line for each that failed. */
export function observedCalls({ provider, platform }: Calls, reports: Reports): Calls {
  const timed = timer(reports)
  const atProvider = <T>(call: ProviderCall, request: ClientCall, act: () => Promise<T>) =>
    isTestClient(request.client)
      ? act()
      : timed(call, { ids: { integration: request.integration.id }, traceparent: request.traceparent }, act)
  /** The platform is told what the call is a part of. */
  const atPlatform = <At extends Provisioning, T>(call: PlatformCall, at: At, act: (at: At) => Promise<T>) =>
    timed(call, { ids: idsOf(at), traceparent: at.traceparent }, (traceparent) =>
      act(traceparent === at.traceparent ? at : { ...at, traceparent }),
    )
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
      createConnection: (at, ...rest) =>
        atPlatform('connection', at, (observed) => platform.createConnection(observed, ...rest)),
      createFunction: (at) => atPlatform('function', at, platform.createFunction),
      verifyFunction: (at) => atPlatform('verification', at, platform.verifyFunction),
      replaceConnection: (at, ...rest) =>
        atPlatform('replacement', at, (observed) => platform.replaceConnection(observed, ...rest)),
      pointFunction: (at) => atPlatform('function', at, platform.pointFunction),
      restartFunction: (at, ...rest) =>
        atPlatform('restart', at, (observed) => platform.restartFunction(observed, ...rest)),
      deleteFunction: (at) => atPlatform('function_deletion', at, platform.deleteFunction),
      deleteConnection: (at) => atPlatform('connection_deletion', at, platform.deleteConnection),
      tryTool: (functionUrl, tool, by) =>
        timed('tool', { ids: {}, ...by }, (traceparent) => platform.tryTool(functionUrl, tool, { traceparent })),
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

/** `traceparent`: of what it is a part of, to begin with, and then of the call itself. */
type About = { ids: LogFields; traceparent?: string | undefined }
type Act<T> = (traceparent: string | undefined) => Promise<T>

function timer({ log, metrics, tracing }: Reports) {
  const calls = metrics.histogram('outside_seconds', 'Time of calls to other servers.', ['call', 'outcome'])
  return async <T>(call: Call, { ids, traceparent: parent }: About, act: Act<T>): Promise<T> => {
    // In test mode no other server is called.
    if (isTestWorkspace(String(ids.workspace))) return act(parent)
    const attributes = { call, 'connection.id': ids.connection, 'integration.id': ids.integration }
    const span = { attributes, parent, kind: 'client' } as const
    const startedAt = performance.now()
    const end = (outcome: string) => {
      const durationMs = performance.now() - startedAt
      calls.observe({ call, outcome }, durationMs / 1_000)
      return Math.round(durationMs)
    }
    try {
      const name = isProviderCall(call) ? 'call.provider' : 'call.platform'
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

/** What a function's container said stands in the audit alone: no log is a place for other people's texts. */
const ownWords = ({ cause, detail }: DependencyError): string | undefined =>
  cause === 'function_failed' || detail === '' ? undefined : detail

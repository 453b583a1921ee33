import type { LogFields } from '../../../kit/process/log.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Platform, Provisioning } from '../../domain/ports/platform.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Reports } from './observed.ts'

type Calls = { provider: Provider; platform: Platform }

/** Calls to other servers: how long they take, and one line for each that failed. */
export function observedCalls({ provider, platform }: Calls, reports: Reports): Calls {
  const timed = timer(reports)
  const atProvider = <T>(call: string, { integration }: { integration: { id: string } }, act: () => Promise<T>) =>
    timed(call, { integration: integration.id }, act)
  return {
    provider: {
      ...provider,
      exchange: (request) => atProvider('exchange', request, () => provider.exchange(request)),
      refresh: (request) => atProvider('refresh', request, () => provider.refresh(request)),
      revoke: (request, ...rest) => atProvider('revocation', request, () => provider.revoke(request, ...rest)),
    },
    platform: {
      ...platform,
      createConnection: (at, ...rest) => timed('connection', idsOf(at), () => platform.createConnection(at, ...rest)),
      createFunction: (at, ...rest) => timed('function', idsOf(at), () => platform.createFunction(at, ...rest)),
      verifyFunction: (at) => timed('verification', idsOf(at), () => platform.verifyFunction(at)),
      replaceConnection: (at, ...rest) => timed('replacement', idsOf(at), () => platform.replaceConnection(at, ...rest)),
      pointFunction: (at, ...rest) => timed('function', idsOf(at), () => platform.pointFunction(at, ...rest)),
      restartFunction: (at, ...rest) => timed('restart', idsOf(at), () => platform.restartFunction(at, ...rest)),
      deleteFunction: (at, ...rest) => timed('function_deletion', idsOf(at), () => platform.deleteFunction(at, ...rest)),
      deleteConnection: (at, ...rest) => timed('connection_deletion', idsOf(at), () => platform.deleteConnection(at, ...rest)),
      tryTool: (...args) => timed('tool', {}, () => platform.tryTool(...args)),
    },
  }
}

const idsOf = ({ connectionId, integration, workspace }: Provisioning): LogFields => ({
  connection: connectionId,
  integration,
  workspace,
})

function timer({ log, metrics }: Reports) {
  const calls = metrics.histogram('outside_seconds', 'Time of calls to other servers.', ['call', 'outcome'])
  return async <T>(call: string, ids: LogFields, act: () => Promise<T>): Promise<T> => {
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
      const cause = error instanceof DependencyError ? error.cause : 'error'
      const durationMs = end(cause)
      if (error instanceof DependencyError) log('call.failed', { ...ids, call, cause, durationMs, detail: ownWords(error) })
      throw error
    }
  }
}

/** What a function's container said stands in the audit alone: no log is a place for other people's texts. */
const ownWords = ({ cause, detail }: DependencyError): string | undefined =>
  cause === 'function_failed' || detail === '' ? undefined : detail

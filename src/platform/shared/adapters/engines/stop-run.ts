import type { EngineRun, RunEnd } from '../../domain/engine.ts'

/** Resolves when the run has to be stopped. `close` ends the watch. */
export function stopOf({ signal, timeoutSeconds }: Pick<EngineRun, 'signal' | 'timeoutSeconds'>) {
  const watch = new AbortController()
  const stopped = new Promise<RunEnd['outcome']>((resolve) => {
    const limit = setTimeout(() => resolve('timeout'), timeoutSeconds * 1_000)
    watch.signal.addEventListener('abort', () => clearTimeout(limit))
    signal.addEventListener('abort', () => resolve('signalled'), { signal: watch.signal })
    if (signal.aborted) resolve('signalled')
  })
  return { stopped, close: () => watch.abort() }
}

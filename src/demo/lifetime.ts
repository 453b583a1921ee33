import { ignoreError } from '../kit/process/ignore-error.ts'
import { StartError } from '../kit/process/start-error.ts'

/**
 * What was started, so that it can be ended: last things first, also those that are still starting. Once the end has
 * begun, nothing new starts.
 */
export type Lifetime = {
  keep<T>(start: () => Promise<T>, end?: (started: T) => unknown): Promise<T>
  end(): Promise<void>
}

export function createLifetime(): Lifetime {
  const begun: Array<() => Promise<unknown>> = []
  let ending = false
  return {
    async keep(start, end) {
      if (ending) throw new StartError('interrupted')
      const starting = start()
      begun.push(() => starting.then(end).catch(ignoreError('what never started has no end, and its error is known')))
      return starting
    },
    async end() {
      ending = true
      for (const end of begun.splice(0).reverse()) await end()
    },
  }
}

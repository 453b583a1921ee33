import { ignoreError } from '../kit/process/ignore-error.ts'
import { StartError } from '../kit/process/start-error.ts'

/** `end` ends everything in reverse order, including parts that are still starting. Afterwards `keep` rejects. */
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
      begun.push(() => starting.then(end).catch(ignoreError('the caller of keep handles errors of the start')))
      return starting
    },
    async end() {
      ending = true
      for (const end of begun.splice(0).reverse()) await end()
    },
  }
}

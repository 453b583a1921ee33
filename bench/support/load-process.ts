// Sends requests from a separate process, so that the load generator does not affect the measurement.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Load, LoadResult } from './load.ts'

export type LoadProcess = { run(load: Load): Promise<LoadResult>; stop(): Promise<void> }

export function startLoad(): LoadProcess {
  const child = fork(fileURLToPath(new URL('./load.js', import.meta.url)))
  const ended = once(child, 'exit')
  return {
    async run(load) {
      child.send(load)
      const [answer] = (await Promise.race([once(child, 'message'), ended])) as [LoadResult | { error: string } | null]
      if (answer === null || typeof answer !== 'object') throw new Error('the load generator ended')
      if ('error' in answer) throw new Error(answer.error)
      return answer
    },
    async stop() {
      child.disconnect()
      await ended
    },
  }
}

import type { Pause } from '../domain/ports/shared.ts'

/** With the pauses between them, about as long as a database failover takes. */
const tries = 7

/** For what a provider gives once, while nobody else has it. Throws what the last try threw. */
export async function throughFailover<T>({ pause }: { pause: Pause }, write: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await write()
    } catch (error) {
      if (tried === tries) throw error
      await pause(100 * 2 ** tried)
    }
  }
}

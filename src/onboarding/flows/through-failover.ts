import type { Ports } from '../domain/ports/ports.ts'

/** About as long as a database failover takes, including the pauses. */
export const failoverTries = 7

const maxPauseMs = 5_000

/** Retries a write of something that a provider issues only once. */
export async function throughFailover<T>(
  { pause }: Pick<Ports, 'pause'>,
  write: () => Promise<T>,
  isLast: (tried: number) => boolean = (tried) => tried === failoverTries,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await write()
    } catch (error) {
      if (isLast(tried)) throw error
      await pause(Math.min(100 * 2 ** tried, maxPauseMs))
    }
  }
}

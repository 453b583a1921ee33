// When a step is tried again, and when it is not given to one more worker.
import { backoffSeconds, retryInSeconds } from '../../kit/process/backoff.ts'

/** Grows with every failed try, up to half a minute and by chance to a whole one. Tasks wait alike. */
export const retryDelaySeconds = (attempts: number, afterSeconds: number | undefined, chance: number): number =>
  retryInSeconds(
    {
      waitSeconds: backoffSeconds(attempts, { firstSeconds: 0.25, longestSeconds: 30 }),
      spread: 1,
      askedSeconds: afterSeconds,
      longestAskedSeconds: 600,
    },
    chance,
  )

/**
 * How many workers may lose a link at one step. A restart, a machine that fails and a pause that was too long take a
 * link from its worker once each, and seldom all at one step; a step that crashes its worker does so every time.
 */
export const mostTakeovers = 4

/** The same for what has `claims`: how many workers claimed it since one last wrote what became of it. */
export const crashesWorkers = ({ claims }: { claims: number }): boolean => claims > mostTakeovers

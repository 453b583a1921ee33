import { backoffSeconds, retryInSeconds } from '../../kit/process/backoff.ts'

/** Exponential up to half a minute, plus jitter. Tasks use the same. */
export const retryDelaySeconds = (attempts: number, afterSeconds: number | undefined, chance: number): number =>
  retryInSeconds(
    {
      waitSeconds: backoffSeconds(attempts, { firstSeconds: 0.25, maxSeconds: 30 }),
      spread: 1,
      askedSeconds: afterSeconds,
      maxAskedSeconds: 600,
    },
    chance,
  )

/** Lost workers rarely hit one step repeatedly; a step that crashes its worker does so every time. */
export const maxTakeovers = 4

export const crashesWorkers = ({ claims }: { claims: number }): boolean => claims > maxTakeovers

import type { Response } from 'express'

/** At once if the caller has gone already. */
export function untilClosed(res: Response, release: () => void): void {
  if (res.closed) release()
  else res.once('close', release)
}

import type { Response } from 'express'

/** Also if the caller is gone already. */
export function untilClosed(res: Response, release: () => void): void {
  if (res.closed) release()
  else res.once('close', release)
}

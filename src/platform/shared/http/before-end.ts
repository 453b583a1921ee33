import type { ServerResponse } from 'node:http'

/**
 * Acts once, before the end of an answer is sent or when its caller hung up. Whoever has seen the end of an answer can
 * rely on it, which an event that follows the end cannot promise.
 */
export function beforeEnd(res: ServerResponse, act: () => void): void {
  let acted = false
  const actOnce = () => {
    if (!acted) act()
    acted = true
  }
  const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse
  res.end = ((...args: unknown[]) => {
    actOnce()
    return end(...args)
  }) as typeof res.end
  res.once('close', actOnce)
}

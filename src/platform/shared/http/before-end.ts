import type { ServerResponse } from 'node:http'

/**
 * Runs once, before the end of an answer is sent or when its caller hung up. A caller that has read the whole answer can
 * rely on it, which an event after the end cannot promise.
 */
export function beforeEnd(res: ServerResponse, act: () => void): void {
  let acted = false
  const runOnce = () => {
    if (!acted) act()
    acted = true
  }
  const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse
  res.end = ((...args: unknown[]) => {
    runOnce()
    return end(...args)
  }) as typeof res.end
  res.once('close', runOnce)
}

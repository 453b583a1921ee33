import type { ServerResponse } from 'node:http'

/** Runs once, before the response ends or when the client disconnects. A client that has read the response can rely on it. */
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

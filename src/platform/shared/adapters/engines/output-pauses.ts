import { setTimeout as pause } from 'node:timers/promises'

const maxBytesPerTurn = 1024 * 1024
const pauseMs = 50

/** A command that writes continuously must not block the event loop. Resolves when its reader may go on. */
export function outputPauses(): (bytes: number) => Promise<void> | undefined {
  let sincePause = 0
  return (bytes) => {
    sincePause += bytes
    if (sincePause < maxBytesPerTurn) return undefined
    sincePause = 0
    return pause(pauseMs)
  }
}

type Source = { pause(): unknown; resume(): unknown }

export function pausing(source: () => Source | undefined): (bytes: number) => void {
  const pauseAfter = outputPauses()
  return (bytes) => {
    const over = pauseAfter(bytes)
    if (!over) return
    source()?.pause()
    void over.then(() => source()?.resume())
  }
}

// The end of what a command says. It is read slowly: a command that does nothing but write, as fast as it can, would
// otherwise take the thread that answers everybody.
import type { Readable } from 'node:stream'

const keptOutput = 64 * 1024

/** 20 MB a second, and a command that writes more waits. */
const mostAtATime = 1024 * 1024
const pauseMs = 50

export function outputTail(output: Readable): { text(): string } {
  let kept: Buffer[] = []
  let keptSize = 0
  let sincePause = 0
  output.on('data', (chunk: Buffer) => {
    kept.push(chunk)
    keptSize += chunk.length
    sincePause += chunk.length
    // Now and then instead of for each piece, which would be copied with all that is kept.
    if (keptSize > 4 * keptOutput || kept.length > 1_000) shorten()
    if (sincePause < mostAtATime) return
    sincePause = 0
    output.pause()
    setTimeout(() => output.resume(), pauseMs)
  })
  const shorten = () => {
    // A copy: part of a large piece would keep all of it in memory.
    kept = [Buffer.from(Buffer.concat(kept).subarray(-keptOutput))]
    keptSize = kept[0]?.length ?? 0
  }
  return {
    text() {
      shorten()
      // PostgreSQL stores no zero character in a text.
      return Buffer.concat(kept).toString().replaceAll('\0', '\uFFFD')
    },
  }
}

/** How much of a command's output is kept by default. */
export const keptBytes = 64 * 1024

/** Keeps the end of an output. */
export function outputTail(maxBytes = keptBytes): { add(chunk: Buffer): void; text(): string } {
  let kept: Buffer[] = []
  let keptSize = 0
  const shorten = () => {
    // Copied, because a slice would keep the whole buffer in memory.
    kept = [Buffer.from(Buffer.concat(kept).subarray(-maxBytes))]
    keptSize = kept[0]?.length ?? 0
  }
  return {
    add(chunk) {
      kept.push(chunk)
      keptSize += chunk.length
      // Not on every chunk, because shortening copies all kept bytes.
      if (keptSize > 4 * maxBytes || kept.length > 1_000) shorten()
    },
    text() {
      shorten()
      // PostgreSQL can't store NUL characters.
      return Buffer.concat(kept).toString().replaceAll('\0', '\uFFFD')
    },
  }
}

/** Changes a body while it passes. */
export type ChunkFilter = {
  push(chunk: Uint8Array): Uint8Array
  end(): Uint8Array
}

const none = new Uint8Array()
const star = 0x2a

/** Fewer characters of a secret at the end of a body are shown: many texts end with the first letter of a token. */
const minMaskedEnd = 8

/** Replaces secrets by as many asterisks, so that lengths stay. Holds back only what may be the beginning of a secret. */
export function byteMask(spelled: readonly string[]): ChunkFilter {
  const words = spelled.map((word) => Buffer.from(word))
  let held: Uint8Array = none
  return {
    push(chunk) {
      const bytes = masked(held.length > 0 ? Buffer.concat([held, chunk]) : viewOf(chunk), words)
      const end = bytes.length - lengthHeld(bytes, words)
      // A copy, because the rest of the chunk would stay in memory.
      held = end < bytes.length ? Uint8Array.from(bytes.subarray(end)) : none
      return bytes.subarray(0, end)
    },
    end() {
      const rest = held
      held = none
      return rest.length < minMaskedEnd ? rest : rest.fill(star)
    },
  }
}

export const maskText = (text: string, spelled: readonly string[]): string =>
  spelled.reduce((rest, secret) => rest.replaceAll(secret, '*'.repeat(secret.length)), text)

const viewOf = (chunk: Uint8Array) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)

function masked(bytes: Buffer, words: readonly Buffer[]): Buffer {
  let result = bytes
  for (const word of words) {
    for (let at = result.indexOf(word); at >= 0; at = result.indexOf(word, at + word.length)) {
      if (result === bytes) result = Buffer.from(bytes)
      result.fill(star, at, at + word.length)
    }
  }
  return result
}

const lengthHeld = (bytes: Buffer, words: readonly Buffer[]): number =>
  Math.max(0, ...words.map((word) => beginningAtEnd(bytes, word)))

function beginningAtEnd(bytes: Buffer, word: Buffer): number {
  const [first = 0] = word
  let at = bytes.indexOf(first, Math.max(0, bytes.length - word.length + 1))
  while (at >= 0 && !word.subarray(0, bytes.length - at).equals(bytes.subarray(at))) at = bytes.indexOf(first, at + 1)
  return at < 0 ? 0 : bytes.length - at
}

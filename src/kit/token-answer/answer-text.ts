// The text of a token answer, whatever it was wrapped in. Requests ask for no compression and JSON is UTF-8 (RFC 8259
// §8.1), but a proxy or an old framework may know better, and the answer to this request comes once.
import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

/** `bytes` in base64. */
export type AnswerBody = { bytes: string; contentType: string; contentEncoding: string }

export function answerText({ bytes, contentType, contentEncoding }: AnswerBody): string {
  return decoded(decompressed(Buffer.from(bytes, 'base64'), contentEncoding), contentType)
}

/** More than any token answer has: a small answer that unfolds to more than this is a bomb, and is left as it is. */
const maxOutputLength = 256 * 1024
const limit = { maxOutputLength }

const decompressors: Partial<Record<string, ReadonlyArray<(bytes: Buffer) => Buffer>>> = {
  gzip: [(bytes) => gunzipSync(bytes, limit)],
  br: [(bytes) => brotliDecompressSync(bytes, limit)],
  // RFC 9110 §8.4.1.2 means zlib's format; some servers leave its header out.
  deflate: [(bytes) => inflateSync(bytes, limit), (bytes) => inflateRawSync(bytes, limit)],
}

/** One inside the other, as when a proxy compresses what a server had compressed. */
const mostLayers = 3

function decompressed(bytes: Buffer, contentEncoding: string): Buffer {
  const layers = contentEncoding.toLowerCase().split(',').slice(-mostLayers).reverse()
  const named = layers.reduce((at, layer) => unfold(at, layer.trim().replace(/^x-/, '')), bytes)
  // RFC 1952 §2.3.1: what begins so is gzip, whether or not a header says it.
  return named[0] === 0x1f && named[1] === 0x8b ? unfold(named, 'gzip') : named
}

/** The bytes themselves if they cannot be unfolded: a header may name what was never done. */
function unfold(bytes: Buffer, layer: string): Buffer {
  // Its own names alone: a provider may write "constructor" into the header.
  for (const decompress of (Object.hasOwn(decompressors, layer) && decompressors[layer]) || []) {
    try {
      return decompress(bytes)
    } catch {
      // Another way, or none: who reads the text finds out.
    }
  }
  return bytes
}

function decoded(bytes: Buffer, contentType: string): string {
  const mark = byteOrderMarks.find(({ begins }) => bytes.subarray(0, begins.length).equals(begins))
  if (mark) return new TextDecoder(mark.charset).decode(bytes)
  const wide = bytes.includes(0) ? asText(bytes, utf16Of(bytes)) : undefined
  if (wide !== undefined) return wide
  if (isUtf8(bytes)) return bytes.toString()
  return asText(bytes, /charset="?([\w-]+)/i.exec(contentType)?.[1]) ?? bytes.toString('latin1')
}

const byteOrderMarks = [
  { charset: 'utf-8', begins: Buffer.from([0xef, 0xbb, 0xbf]) },
  { charset: 'utf-16le', begins: Buffer.from([0xff, 0xfe]) },
  { charset: 'utf-16be', begins: Buffer.from([0xfe, 0xff]) },
]

/** Of ASCII in two bytes each, every other one is zero. */
function utf16Of(bytes: Buffer): string | undefined {
  const zeros = [0, 0]
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [high = 0, low = 0] = zeros
  if (Math.max(high, low) < bytes.length / 4) return undefined
  return high > low ? 'utf-16be' : 'utf-16le'
}

/** Undefined where the bytes are no text of that charset, or nobody knows it. */
function asText(bytes: Buffer, charset: string | undefined): string | undefined {
  if (charset === undefined) return undefined
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

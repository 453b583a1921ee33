// Decodes a token response whatever its compression and charset. We request neither, and JSON is UTF-8 (RFC 8259,
// section 8.1), but proxies and old frameworks differ, and a token response comes only once.
import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

/** `bytes` in base64. */
export type AnswerBody = { bytes: string; contentType: string; contentEncoding: string }

export function answerText({ bytes, contentType, contentEncoding }: AnswerBody): string {
  return decoded(decompressed(Buffer.from(bytes, 'base64'), contentEncoding), contentType)
}

/** Larger than any token response: stops compression bombs. */
const maxOutputLength = 256 * 1024
const limit = { maxOutputLength }

const decompressors: Partial<Record<string, ReadonlyArray<(bytes: Buffer) => Buffer>>> = {
  gzip: [(bytes) => gunzipSync(bytes, limit)],
  br: [(bytes) => brotliDecompressSync(bytes, limit)],
  // RFC 9110, section 8.4.1.2 means zlib; some servers send raw deflate.
  deflate: [(bytes) => inflateSync(bytes, limit), (bytes) => inflateRawSync(bytes, limit)],
}

/** A proxy may compress a compressed response. */
const maxLayers = 3

function decompressed(bytes: Buffer, contentEncoding: string): Buffer {
  const layers = contentEncoding.toLowerCase().split(',').slice(-maxLayers).reverse()
  const named = layers.reduce((at, layer) => unfold(at, layer.trim().replace(/^x-/, '')), bytes)
  // RFC 1952, section 2.3.1: the magic number of gzip, with or without a header.
  return named[0] === 0x1f && named[1] === 0x8b ? unfold(named, 'gzip') : named
}

/** Returns the bytes unchanged if they can't be decompressed: the header may be wrong. */
function unfold(bytes: Buffer, layer: string): Buffer {
  // A provider may send "constructor" as the encoding.
  for (const decompress of (Object.hasOwn(decompressors, layer) && decompressors[layer]) || []) {
    try {
      return decompress(bytes)
    } catch {
      // Try the next one.
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

/** In ASCII as UTF-16 every other byte is zero. */
function utf16Of(bytes: Buffer): string | undefined {
  const zeros = [0, 0]
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [high = 0, low = 0] = zeros
  if (Math.max(high, low) < bytes.length / 4) return undefined
  return high > low ? 'utf-16be' : 'utf-16le'
}

/** Undefined if the charset is unknown or the bytes are invalid in it. */
function asText(bytes: Buffer, charset: string | undefined): string | undefined {
  if (charset === undefined) return undefined
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

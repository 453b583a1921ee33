import type { IncomingMessage } from 'node:http'

export class UnusableBody extends Error {
  constructor(readonly status: 400 | 413 | 415) {
    super(`the body was refused with ${status}`)
  }
}

/** Returns undefined without a body. Counts the bytes that arrive: Content-Length may lie. `keep` gets the text. */
export async function readJson(
  req: IncomingMessage,
  maxBytes: number,
  keep?: (text: string) => void,
): Promise<unknown> {
  const { 'content-length': length, 'content-encoding': encoding, 'content-type': type } = req.headers
  if (Number(length ?? 0) > maxBytes) throw new UnusableBody(413)
  if (!isPlain(encoding) || !isUtf8(type)) throw new UnusableBody(415)
  const text = await readText(req, maxBytes)
  keep?.(text)
  return parse(text)
}

function readText(req: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else reject(new UnusableBody(413)) // the rest of the body is dropped
    })
    req.on('end', () => resolve(Buffer.concat(chunks).toString()))
    req.on('error', reject)
    req.on('aborted', () => reject(new UnusableBody(400)))
  })
}

/** Only objects and arrays are accepted. */
function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // rejected below
  }
  throw new UnusableBody(400)
}

const isPlain = (encoding: string | undefined) => encoding === undefined || encoding.toLowerCase() === 'identity'

/** Rejects any other charset, also beside UTF-8: parsers differ in which of two they use. */
export const isUtf8 = (type = ''): boolean =>
  Array.from(type.matchAll(/;\s*charset\s*=\s*([^;]*)/gi)).every(([, charset = '']) =>
    /^(utf-?8|"utf-?8")$/i.test(charset.trim()),
  )

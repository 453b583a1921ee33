import type { IncomingMessage } from 'node:http'

/** A body that cannot be taken, with the status that says why. */
export class UnusableBody extends Error {
  constructor(readonly status: 400 | 413 | 415) {
    super(`the body was refused with ${status}`)
  }
}

/**
 * The JSON document that a request carries; undefined without a body. The bytes are counted as they come, so that a
 * length that is a lie gains nothing.
 */
export async function readJson(req: IncomingMessage, largest: number): Promise<unknown> {
  const { 'content-length': length, 'content-encoding': encoding, 'content-type': type } = req.headers
  if (Number(length ?? 0) > largest) throw new UnusableBody(413)
  if (!isPlain(encoding) || !isUtf8(type)) throw new UnusableBody(415)
  return parse(await readText(req, largest))
}

function readText(req: IncomingMessage, largest: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= largest) chunks.push(chunk)
      else reject(new UnusableBody(413)) // what still comes is dropped
    })
    req.on('end', () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()))
    req.on('error', reject)
    req.on('aborted', () => reject(new UnusableBody(400)))
  })
}

/** Documents are objects and arrays; a lone word or number is nothing we ever asked for. */
function parse(text: string): unknown {
  if (text === '') return undefined
  const parsed = tryParse(text)
  if (typeof parsed !== 'object' || parsed === null) throw new UnusableBody(400)
  return parsed
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnusableBody(400)
  }
}

const isPlain = (encoding: string | undefined) => encoding === undefined || encoding.toLowerCase() === 'identity'

/** Whether no charset is named, or no other: parsers differ in which of two they believe. */
export const isUtf8 = (type = ''): boolean =>
  Array.from(type.matchAll(/;\s*charset\s*=\s*([^;]*)/gi)).every(([, charset = '']) =>
    /^(utf-?8|"utf-?8")$/i.test(charset.trim()),
  )

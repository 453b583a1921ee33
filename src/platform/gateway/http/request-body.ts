import type { IncomingMessage } from 'node:http'
import { Failure } from '../../shared/domain/failure.ts'
import type { Bytes } from '../domain/workload.ts'

/** Streamed bodies are not buffered, so the limit is far above any prompt; it stops floods. */
const largestStreamed = 256 * 1024 * 1024
const largestBuffered = 1024 * 1024

const tooLarge = () => new Failure('body_too_large', 'The body is too large.')

/** The body as it comes; one whose length is not said beforehand is counted on its way. */
export function streamedBody(req: IncomingMessage): Bytes | null {
  const length = req.headers['content-length']
  if (length === undefined) return req.headers['transfer-encoding'] === undefined ? null : counted(req)
  if (Number(length) > largestStreamed) throw tooLarge()
  return Number(length) > 0 ? req : null
}

async function* counted(req: IncomingMessage): Bytes {
  let size = 0
  for await (const chunk of req as Bytes) {
    size += chunk.length
    if (size > largestStreamed) throw tooLarge()
    yield chunk
  }
}

/** For the few things that need it whole. */
export async function bufferedBody(req: IncomingMessage, largest = largestBuffered): Promise<string> {
  if (Number(req.headers['content-length'] ?? 0) > largest) throw tooLarge()
  return textOf(await wholeOf(req as Bytes, largest).catch(brokenOff))
}

async function wholeOf(body: Bytes, largest: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > largest) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function brokenOff(cause: unknown): never {
  throw cause instanceof Failure ? cause : new Failure('input_invalid', 'The body broke off.', { cause })
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure('input_invalid', 'The body must be text in UTF-8.')
  }
}

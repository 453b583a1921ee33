import type { IncomingMessage } from 'node:http'
import { Failure } from '../../shared/domain/failure.ts'
import type { Bytes } from '../domain/workload.ts'

const maxStreamedBytes = 256 * 1024 * 1024
const maxBufferedBytes = 1024 * 1024

const tooLarge = () => new Failure('body_too_large', 'The body is too large.')

export function streamedBody(req: IncomingMessage, maxBytes = maxStreamedBytes): Bytes | null {
  const length = req.headers['content-length']
  if (length === undefined) return req.headers['transfer-encoding'] === undefined ? null : counted(req, maxBytes)
  if (Number(length) > maxBytes) throw tooLarge()
  return Number(length) > 0 ? req : null
}

async function* counted(req: IncomingMessage, maxBytes: number): Bytes {
  let size = 0
  for await (const chunk of req as Bytes) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    yield chunk
  }
}

export const wholeBody = (req: IncomingMessage, maxBytes: number): Promise<Uint8Array> =>
  wholeOf(req as Bytes, maxBytes).catch(brokenOff)

export async function bufferedBody(req: IncomingMessage, maxBytes = maxBufferedBytes): Promise<string> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  return textOf(await wholeBody(req, maxBytes))
}

async function wholeOf(body: Bytes, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function brokenOff(cause: unknown): never {
  throw cause instanceof Failure ? cause : new Failure('input_invalid', 'The request body is incomplete.', { cause })
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure('input_invalid', 'The body must be valid UTF-8.')
  }
}

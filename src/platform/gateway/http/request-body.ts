import type { Request } from 'express'
import { Failure } from '../../shared/domain/failure.ts'
import type { Bytes } from '../domain/workload.ts'

/** What passes through is never held, so this is far above any prompt; it ends floods. */
const largestStreamed = 256 * 1024 * 1024
const largestHeld = 1024 * 1024

const tooLarge = () => new Failure('body_too_large', 'The body is too large.')

const hasBody = (req: Request) =>
  Number(req.get('Content-Length') ?? 0) > 0 || req.get('Transfer-Encoding') !== undefined

/** The body as it comes; one whose length is not said beforehand is counted on its way. */
export function streamedBody(req: Request): Bytes | null {
  if (!hasBody(req)) return null
  const length = req.get('Content-Length')
  if (Number(length ?? 0) > largestStreamed) throw tooLarge()
  return length === undefined ? counted(req) : req
}

async function* counted(req: Request): Bytes {
  let size = 0
  for await (const chunk of req as Bytes) {
    size += chunk.length
    if (size > largestStreamed) throw tooLarge()
    yield chunk
  }
}

/** For the few things that need it whole. */
export async function heldBody(req: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (Number(req.get('Content-Length') ?? 0) > largestHeld) throw tooLarge()
  for await (const chunk of req as Bytes) {
    size += chunk.length
    if (size > largestHeld) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

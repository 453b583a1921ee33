import type { IncomingMessage } from 'node:http'
import { Failure } from '../domain/failure.ts'

/** Before any of it is read: the framework's own check reads it all first, and then says that it is too much. */
export function refuseLarge({ headers }: IncomingMessage, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw new Failure('body_too_large', 'The body is too large.')
}

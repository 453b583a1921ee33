import type { IncomingMessage } from 'node:http'
import { Failure } from '../domain/failure.ts'

/** Checked before reading. The framework reads the whole body first. */
export function assertBodyWithin({ headers }: IncomingMessage, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw new Failure('body_too_large', 'The body is too large.')
}

/** PostgreSQL stores neither NUL characters nor lone surrogates. Deep nesting could exhaust the stack. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return !/[\0\p{Surrogate}]/u.test(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth > 32) return false
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner, depth + 1))
}

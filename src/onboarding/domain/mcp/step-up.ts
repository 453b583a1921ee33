// RFC 6750 §3.1 and the MCP specification: a server may ask for more than was granted once more is wanted of it.
import { DependencyError } from '../dependency-error.ts'
import { joinedScopes, longestScope } from './mcp-server.ts'

/** The grant does not cover what was asked. `scope`: what would, where the server says it. */
export class InsufficientScope extends DependencyError {
  constructor(
    readonly scope: string | undefined,
    detail: string,
  ) {
    super('scope_insufficient', { detail })
  }
}

/** What a re-link asks for: what the connection was asked for, and what is wanted now. More than can be kept adds nothing. */
export function widerScope(known: string | undefined, more: string): string | undefined {
  const joined = joinedScopes([...(known ?? '').split(' '), ...more.split(' ')])
  return joined === (known ?? '') || joined.length > longestScope ? undefined : joined
}

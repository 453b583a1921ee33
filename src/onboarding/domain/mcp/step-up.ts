// RFC 6750 §3.1 and the MCP specification: a server may request more scopes later.
import { DependencyError } from '../dependency-error.ts'
import { joinedScopes, maxScopeLength } from './mcp-server.ts'

export class InsufficientScope extends DependencyError {
  constructor(
    readonly scope: string | undefined,
    detail: string,
  ) {
    super('scope_insufficient', { detail })
  }
}

/** Adds to the scopes of the connection. Scopes beyond the max length are ignored. */
export function widerScope(known: string | undefined, more: string): string | undefined {
  const joined = joinedScopes([...(known ?? '').split(' '), ...more.split(' ')])
  return joined === (known ?? '') || joined.length > maxScopeLength ? undefined : joined
}

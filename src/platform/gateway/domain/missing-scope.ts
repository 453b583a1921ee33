import type { Integration, Tool } from './integration.ts'
import type { ScopeHeaders } from './ports.ts'

type Refusal = { status: number; scopes: ScopeHeaders | undefined; text: string }

/**
 * The scopes that a re-link can add, if the API says that the token lacks them. Everything else stays an ordinary
 * refusal: a resource may be closed to the account (decision 0047).
 */
export function missingScope(
  refusal: Refusal,
  { tool, integration }: { tool: Tool | undefined; integration: Pick<Integration, 'scopes' | 'optionalScopes'> },
): string | undefined {
  const named = namedIn(refusal, tool)
  if (named === undefined) return undefined
  // A tool knows what it needs; some APIs list alternatives.
  const needed = tool?.scopes ?? named
  const { scopes, optionalScopes } = integration
  const requestable = new Set([...scopes, ...optionalScopes].map(({ name }) => name))
  return needed.length > 0 && needed.every((scope) => requestable.has(scope)) ? needed.join(' ') : undefined
}

/** Undefined if the refusal is not for a scope. Empty if the API does not say which one. */
function namedIn({ status, scopes = {}, text }: Refusal, tool: Tool | undefined): string[] | undefined {
  const { challenge = '', granted, accepted = '' } = scopes
  if (status === 200) return slackScope(text)
  if (status !== 403) return undefined
  if (/^Bearer\b.*\berror="?insufficient_scope\b/i.test(challenge))
    return wordsOf(/\bscope="([^"]*)"/.exec(challenge)?.[1])
  if (isGoogleScope(text)) return []
  return granted === undefined || tool?.scopes === undefined
    ? undefined
    : githubScope(tool.scopes, { granted, accepted })
}

function slackScope(text: string): string[] | undefined {
  const { ok, error, needed } = objectIn(text)
  return ok === false && error === 'missing_scope' ? wordsOf(needed) : undefined
}

function isGoogleScope(text: string): boolean {
  const { details } = Object(objectIn(text).error)
  return Array.isArray(details) && details.some((detail) => detail?.reason === 'ACCESS_TOKEN_SCOPE_INSUFFICIENT')
}

/** Also sent with refusals for other reasons, so the tool's own scope must be missing as well. */
function githubScope(needed: readonly string[], { granted, accepted }: { granted: string; accepted: string }) {
  const has = new Set(wordsOf(granted))
  const lacks = needed.some((scope) => !has.has(scope))
  const alternatives = wordsOf(accepted)
  return lacks && alternatives.length > 0 && !alternatives.some((scope) => has.has(scope)) ? [...needed] : undefined
}

const wordsOf = (text: unknown): string[] => (typeof text === 'string' ? text.split(/[\s,]+/).filter(Boolean) : [])

function objectIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

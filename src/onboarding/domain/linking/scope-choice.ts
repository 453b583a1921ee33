// Which scopes a link requests (contract/integrations/requested-scopes.ts), and which its connection lacks.
import { isAlwaysRequested, scopeValues, wordsIn } from '../../../contract/integrations/requested-scopes.ts'
import { filledFor } from '../catalogue/integration-values.ts'
import type { Connection } from '../connection.ts'
import type { Integration } from '../integration.ts'
import type { Config } from '../link.ts'
import { identityScopes, requestedScopes } from '../scopes.ts'

/** They are no values of the account. */
export const isScopeValue = (name: string): boolean => Object.values<string>(scopeValues).includes(name)

/** Requested and not granted: the user declined them, the operator added them, or a call lacked them. */
export function lackedScopes(
  { scopes, config, status }: Pick<Connection, 'scopes' | 'config' | 'status'>,
  integration: Integration | undefined,
): string[] {
  if (!integration || integration.scopesFrom === 'app' || status === 'not_linked') return []
  const wanted = requestedScopes(filledFor(integration, config))
  return wanted.filter((name) => !identityScopes.has(name) && !scopes.includes(name))
}

/** A config value of the platform has at most 1,024 characters. */
const maxLength = 1_000

type ScopeProblem = { at?: number; detail: string }

/** `connection`: that of a re-link, which may also name scopes that the connection requests. */
export function scopeProblem(
  integration: Integration,
  named: readonly string[],
  connection?: Pick<Connection, 'config'>,
): ScopeProblem | undefined {
  if (integration.scopesFrom === 'app')
    return { detail: 'must be absent: the app sets the scopes where its OAuth client is registered' }
  const allowed = namesOf(integration, connection?.config).flatMap(({ name, filled }) => [name, filled])
  const all = [...new Set([...allowed, ...wordsIn(connection?.config.scope)])]
  if (all.length === 0) return { detail: 'must be absent: the MCP server names its scopes when a link starts' }
  const at = named.findIndex((name) => !all.includes(name))
  if (at >= 0) return { at, detail: `is not allowed for this integration. Allowed: ${all.join(', ')}` }
  const isLong = named.join(' ').length > maxLength
  return isLong ? { detail: `must have at most ${maxLength} characters together` } : undefined
}

export function offersScope(
  integration: Integration,
  { config }: Pick<Connection, 'config'>,
): (scope: string) => boolean {
  const names = new Set(namesOf(integration, config).map(({ filled }) => filled))
  // An MCP server decides itself, and is asked for all scopes of the connection.
  return (scope) => integration.mcpUrl !== undefined || names.has(scope)
}

type Named = readonly string[] | undefined

/** An MCP server gets the chosen scopes of its entry when it is discovered. */
const withNamedScopes = (integration: Integration, named: Named): Integration =>
  named === undefined || integration.mcpUrl === undefined
    ? integration
    : { ...integration, scopes: allowedOf(integration).filter((each) => isChosen(each, named)) }

const isChosen = (scope: Integration['scopes'][number], named: readonly string[]): boolean =>
  named.includes(scope.name) || isAlwaysRequested(scope)

/**
 * The config values that name the scopes of a link. A re-link requests what its connection requests or has, and adds
 * what its session names, so that it never loses a scope that the integration still allows.
 */
export function scopeConfig(integration: Integration, named: Named, connection?: Connection): Config {
  if (integration.mcpUrl !== undefined) return {}
  if (!connection) return chosenScopes(integration, named)
  return withAddedScopes(integration, connection, [...connection.scopes, ...(named ?? [])])
}

export const chosenScopes = (integration: Integration, named: Named): Config =>
  named ? { [scopeValues.requested]: namesIn(integration, named, {}).join(' ') } : {}

/** A connection that was created without an account has named its scopes itself. */
export const withFirstScopes = (integration: Integration, named: Named, connection?: Connection): Integration => {
  const chosen = connection?.config[scopeValues.requested]
  return withNamedScopes(integration, connection ? chosen?.split(' ') : named)
}

/** With the scopes that a session requests. */
export const requestedBy = (integration: Integration, named: Named, connection?: Connection): Integration =>
  filledFor(withFirstScopes(integration, named, connection), scopeConfig(integration, named, connection))

/** Undefined if nothing changes. If the tenant chose the scopes of the connection, calls add none. */
export function withCalledScopes(
  integration: Integration,
  connection: Pick<Connection, 'config'>,
  lacked: readonly string[],
): Config | undefined {
  if (connection.config[scopeValues.requested] !== undefined) return undefined
  const values = withAddedScopes(integration, connection, lacked)
  return values[scopeValues.added] === connection.config[scopeValues.added] ? undefined : values
}

/** Whether the connection works as the tenant asked although a call lacked them. */
export function areExtras(
  integration: Integration,
  { config, scopes }: Pick<Connection, 'config' | 'scopes'>,
  lacked: string,
): boolean {
  if (integration.mcpUrl !== undefined) return false
  const { [scopeValues.added]: _, ...asked } = config
  const expected = new Set([...requestedScopes(filledFor(integration, asked)), ...scopes])
  const names = wordsIn(lacked)
  return names.length > 0 && names.every((name) => !expected.has(name))
}

/** Unknown scopes, and those that are requested anyway, are left out. */
export function withAddedScopes(
  integration: Integration,
  { config }: Pick<Connection, 'config'>,
  more: readonly string[],
): Config {
  const { [scopeValues.requested]: requested, [scopeValues.added]: added } = config
  const base: Config = requested === undefined ? {} : { [scopeValues.requested]: requested }
  const anyway = new Set(requestedScopes(filledFor(integration, { ...config, ...base, [scopeValues.added]: '' })))
  const names = namesIn(integration, [...wordsIn(added), ...more], config, anyway)
  const fitting = names.filter((_, at) => names.slice(0, at + 1).join(' ').length <= maxLength)
  return fitting.length === 0 ? base : { ...base, [scopeValues.added]: fitting.join(' ') }
}

/** Names of the profile, for names as the profile or as the provider has them. */
const namesIn = (
  integration: Integration,
  wanted: readonly string[],
  config: Config,
  except: ReadonlySet<string> = new Set(),
): string[] =>
  namesOf(integration, config)
    .filter(({ name, filled }) => (wanted.includes(name) || wanted.includes(filled)) && !except.has(filled))
    .map(({ name }) => name)

const allowedOf = ({ scopes, optionalScopes }: Pick<Integration, 'scopes' | 'optionalScopes'>) => [
  ...scopes,
  ...optionalScopes.map((scope) => ({ ...scope, optional: true })),
]

/** Names in a profile may have gaps for values of the account. */
function namesOf(integration: Integration, config: Config = {}): Array<{ name: string; filled: string }> {
  const allowed = allowedOf(integration)
  const { [scopeValues.requested]: _, [scopeValues.added]: __, ...values } = config
  const { scopes } = filledFor({ ...integration, mcpUrl: undefined, scopes: allowed }, values)
  return allowed.map(({ name }, at) => ({ name, filled: scopes[at]?.name ?? name }))
}

import type { Client, Configuration, KoaContextWithOIDC, ResourceServer } from 'oidc-provider'
import { allScopes } from '../../../contract/scopes.ts'
import { errors, interactionPolicy } from '../../../kit/http/oidc-provider.ts'
import { type ToolResource, toolResourceAt, toolScopes } from '../../shared/domain/function-resource.ts'
import { isRegisteredId } from '../domain/client-registration.ts'
import { type FunctionUsers, isFunctionUserId, isLoginFor } from '../domain/function-access.ts'
import { endedBy } from '../domain/password.ts'
import type { Users } from '../domain/ports.ts'
import { accessTokenSeconds, signingAlgorithm } from '../domain/signing-key.ts'

type Needs = {
  issuer: string
  gatewayUrl: string
  users: Pick<Users, 'find'>
  functionUsers: Pick<FunctionUsers, 'find'>
}

type ResourceIndicators = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>

export const toolResourceOf = (
  { gatewayUrl }: Pick<Needs, 'gatewayUrl'>,
  resource: unknown,
): ToolResource | undefined => (typeof resource === 'string' ? toolResourceAt(gatewayUrl, resource) : undefined)

export const resourceServers = (needs: Needs): ResourceIndicators => ({
  enabled: true,
  defaultResource: (_ctx, client) => {
    if (isUnvouched(client)) throw new errors.InvalidTarget('resource must name the MCP server of a function')
    return needs.issuer
  },
  useGrantedResource: () => true,
  getResourceServerInfo: (_ctx, resource, client) => resourceServer(needs, resource, client),
})

/** Self-registered clients can only request the tools of functions. */
const isUnvouched = (client: Client | undefined): boolean =>
  client === undefined || client.clientIdMetadataDocument === true || isRegisteredId(client.clientId)

export function resourceServer(
  needs: Pick<Needs, 'issuer' | 'gatewayUrl'>,
  resource: string,
  client: Client,
): ResourceServer {
  const common = {
    audience: resource,
    accessTokenTTL: accessTokenSeconds,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: signingAlgorithm as typeof signingAlgorithm } },
  }
  if (toolResourceOf(needs, resource)) return { ...common, scope: toolScopes.join(' ') }
  if (resource !== needs.issuer || isUnvouched(client)) throw new errors.InvalidTarget()
  return { ...common, scope: allScopes.join(' ') }
}

/** A function login is valid only for its function and for the address of all functions of its person. */
export function signInPolicy(needs: Needs) {
  const policy = interactionPolicy.base()
  const elsewhere = async ({ oidc }: KoaContextWithOIDC): Promise<boolean> => {
    const { accountId, loginTs } = oidc.session ?? {}
    if (accountId === undefined || !isFunctionUserId(accountId)) return false
    const user = await needs.functionUsers.find(accountId)
    if (!user || endedBy(loginTs, user.signedOutAt)) return true
    return !isLoginFor(user, oidc.params?.resource, needs.gatewayUrl)
  }
  const check = new interactionPolicy.Check('other_function', 'this login is for another function', elsewhere as never)
  const outdated = async ({ oidc }: KoaContextWithOIDC): Promise<boolean> => {
    const { accountId, loginTs } = oidc.session ?? {}
    if (accountId === undefined || isFunctionUserId(accountId)) return false
    return endedBy(loginTs, (await needs.users.find(accountId))?.passwordSetAt)
  }
  const renewed = new interactionPolicy.Check('new_password', 'the password was changed', outdated as never)
  policy.get('login')?.checks.add(check)
  policy.get('login')?.checks.add(renewed)
  return policy
}

import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { hashOf, looksLikeApiKey } from '../domain/api-key.ts'
import { type FunctionUser, isFunctionUserId, isLoginFor } from '../domain/function-access.ts'
import type { AccessTokenReader, Claims, IdentityPorts, OAuthClients, Users } from '../domain/ports.ts'

type Ports = Pick<IdentityPorts, 'apiKeys' | 'users' | 'functionUsers' | 'clients' | 'records'> & {
  accessTokens: AccessTokenReader
  gatewayUrl: string
}

/** Revoked keys must stop working within five seconds in every process. */
const briefly = { ttlMs: 3_000, capacity: 10_000 }

const aMinute = { ttlMs: 60_000, capacity: 10_000 }

/** Accepts API keys and access tokens. Unknown formats get the same error as invalid credentials. */
export function identifyCaller(ports: Ports) {
  const verify = verifyAccessToken(ports)
  const uses = ttlCache((hash: string) => ports.apiKeys.noteUse(Buffer.from(hash, 'base64')), aMinute)
  // Cached by hash, so that keys don't stay in memory.
  const callers = ttlCache(async (hash: string) => {
    const caller = await ports.apiKeys.callerOf(Buffer.from(hash, 'base64'))
    if (caller) uses.get(hash).catch(ignoreError('only the time of the last use is lost'))
    return caller
  }, briefly)
  /** `resource`: the requested MCP server, whose tokens are also accepted. */
  return async (credential: string, resource?: string): Promise<Caller> => {
    const caller = await (looksLikeApiKey(credential)
      ? callers.get(hashOf(credential).toString('base64'))
      : verify(credential, resource))
    if (!caller)
      throw new Failure('credential_invalid', isOnboardingKey(credential) ? otherKey : 'The credential is not valid.')
    return caller
  }
}

/** By its prefix. It is not verified. */
const isOnboardingKey = (credential: string): boolean => credential.startsWith('cwk_')

const otherKey =
  'This is a Causeway API key (cwk_…). The platform needs a platform key (cwp_…). Functions also accept function logins.'

/** A token for a function's MCP server is valid only there: only that route passes its URL as `resource`. */
function verifyAccessToken({ accessTokens, users, functionUsers, clients, records, gatewayUrl }: Ports) {
  const user = ttlCache(async (id: string) => toUser(await users.find(id)), briefly)
  const serviceAccount = ttlCache(async (id: string) => toServiceAccount(await clients.find(id)), briefly)
  const functionUser = ttlCache((id: string) => functionUsers.find(id), briefly)
  // A token lives for two hours, but not longer than its grant.
  const grants = ttlCache((grant: string) => records.findGrant(grant), briefly)
  const ownerOf = async ({ sub, kind, aud }: Claims, isForFunction: boolean): Promise<Owner | undefined> => {
    if (kind === 'service_account') return isForFunction ? undefined : serviceAccount.get(sub)
    if (!isFunctionUserId(sub)) return user.get(sub)
    const known = isForFunction ? await functionUser.get(sub) : undefined
    return known && isLoginFor(known, aud, gatewayUrl) ? toEndUser(known) : undefined
  }
  return async (token: string, resource?: string): Promise<Caller | undefined> => {
    const claims = await accessTokens.claimsOf(token, resource)
    if (!claims) return undefined
    const grant = claims.grant === undefined ? undefined : await grants.get(claims.grant)
    if (claims.grant !== undefined && !grant) return undefined
    const isForFunction = resource !== undefined && claims.aud === resource
    if (isForFunction && grant?.functionId === undefined) return undefined
    const owner = await ownerOf(claims, isForFunction)
    const scopes = new Set(claims.scope.split(' '))
    const { functionId, clientId } = grant ?? {}
    const onlyAt = isForFunction && functionId !== undefined && { onlyAt: { functionId, clientId } }
    return owner && { ...owner, credential: `token:${owner.id}`, scopes, grant: claims.grant ?? owner.grant, ...onlyAt }
  }
}

type Owner = Omit<Caller, 'scopes' | 'credential'>

function toUser(user: Awaited<ReturnType<Users['find']>>): Owner | undefined {
  return user && { kind: 'user', id: user.id, label: user.email, workspace: undefined }
}

const toEndUser = ({ id, label, workspace }: FunctionUser): Owner => ({ kind: 'end_user', id, label, workspace })

function toServiceAccount(client: Awaited<ReturnType<OAuthClients['find']>>): Owner | undefined {
  if (!client?.serviceAccount) return undefined
  const { clientId, name, serviceAccount } = client
  return {
    kind: 'service_account',
    id: clientId,
    label: name,
    workspace: serviceAccount.workspace,
    grant: serviceAccount.grant,
  }
}

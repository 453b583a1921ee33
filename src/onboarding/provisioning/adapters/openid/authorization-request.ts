import { sha256 } from '../../../../kit/crypto/digest.ts'
import type { Secret } from '../../../../kit/crypto/secret.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { AuthorizationRequest } from '../../../domain/ports/provider.ts'
import { sendsNonce, usesOpenId } from '../../../domain/scopes.ts'

export function authorizationParameters(request: AuthorizationRequest, redirectUri: string): Record<string, string> {
  const { integration, state, nonce, forceConsent, account } = request
  return {
    ...integration.authorizationParameters,
    ...(forceConsent ? integration.forceConsentParameters : {}),
    ...(account?.missed ? integration.otherAccountParameters : {}),
    // OpenID Connect Core §3.1.2.1: `login_hint`. Other providers may not know it.
    ...(account && usesOpenId(integration) ? { login_hint: account.label } : {}),
    redirect_uri: redirectUri,
    ...scopeParameters(integration),
    response_type: 'code',
    access_type: 'offline',
    state,
    ...(sendsNonce(integration) ? { nonce } : {}),
  }
}

function scopeParameters(integration: Integration): Record<string, string> {
  const { scopes, scopesFrom, scopeSeparator, userScopeParameter } = integration
  if (scopesFrom === 'app') return {}
  const joined = (isUsers: boolean) =>
    scopes.flatMap(({ name, user = false }) => (user === isUsers ? [name] : [])).join(scopeSeparator)
  const [own, users] = [joined(false), joined(true)]
  return { ...((own || !users) && { scope: own }), ...(users && { [userScopeParameter]: users }) }
}

export const challengeOf = (verifier: Secret) => ({
  code_challenge: sha256(verifier.reveal()),
  code_challenge_method: 'S256',
})

export function renamedParameters(url: URL, { parameterNames }: Integration): URL {
  for (const [name, other] of Object.entries(parameterNames)) {
    const value = url.searchParams.get(name)
    if (value === null) continue
    url.searchParams.delete(name)
    url.searchParams.set(other, value)
  }
  return url
}

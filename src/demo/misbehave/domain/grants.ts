import { type AuthorizationCode, type Grant, type Instance, newToken, remember } from './instance.ts'

type GrantState = 'alive' | 'ended' | 'idle'

export function stateOf(grant: Grant, { switches, now }: Pick<Instance, 'switches' | 'now'>): GrantState {
  const age = (since: number) => (now() - since) / 1_000
  if (grant.endedBy || switches.grants === 'dead') return 'ended'
  if (switches.grant_max_age !== undefined && age(grant.grantedAt) >= switches.grant_max_age) return 'ended'
  if (switches.refresh_idle !== undefined && age(grant.refreshedAt) >= switches.refresh_idle) return 'idle'
  return 'alive'
}

export function openGrant(instance: Instance, code: AuthorizationCode): Grant {
  const now = instance.now()
  const grant: Grant = {
    id: newToken('grant'),
    client: code.client,
    account: code.account,
    scopes: code.scopes,
    place: code.place,
    grantedAt: now,
    refreshedAt: now,
    refreshTokens: code.offline ? [{ token: newToken('rt'), issuedAt: now }] : [],
    accessTokens: new Map(),
  }
  remember(instance.grants, grant)
  enforceLimit(instance, grant)
  return grant
}

/** Evicts the oldest grant above the limit, without any notice. */
function enforceLimit(instance: Instance, { client, account }: Grant): void {
  const { grant_limit: limit } = instance.switches
  if (limit === undefined) return
  const alive = instance.grants.filter(
    (grant) => grant.client === client && grant.account === account && stateOf(grant, instance) === 'alive',
  )
  for (const oldest of alive.slice(0, -limit || alive.length)) oldest.endedBy = 'limit'
}

export function issueAccessToken(instance: Instance, grant: Grant, lifetimeSeconds: number): string {
  const token = newToken('at')
  grant.accessTokens.set(token, instance.now() + lifetimeSeconds * 1_000)
  return token
}

export const grantByRefreshToken = ({ grants }: Instance, token: string | undefined): Grant | undefined =>
  grants.find(({ refreshTokens }) => refreshTokens.some((each) => each.token === token))

export const grantByAccessToken = ({ grants }: Instance, token: string | undefined): Grant | undefined =>
  grants.find(({ accessTokens }) => token !== undefined && accessTokens.has(token))

/** Returns the refresh token to use from now on, or undefined if the token is no longer valid. */
export function useRefreshToken(instance: Instance, grant: Grant, sent: string): string | undefined {
  const { rotation, rotation_grace: grace } = instance.switches
  const token = grant.refreshTokens.find((each) => each.token === sent)
  const now = instance.now()
  if (!token || stateOf(grant, instance) !== 'alive') return undefined
  if (token.spentAt !== undefined && now - token.spentAt >= grace * 1_000) {
    // RFC 9700 §4.14.2: a reused token may have been stolen.
    if (rotation === 'single_use') grant.endedBy = 'reuse'
    return undefined
  }
  grant.refreshedAt = now
  if (rotation === 'none') return sent
  token.spentAt ??= now
  const next = { token: newToken('rt'), issuedAt: now }
  remember(grant.refreshTokens, next)
  return next.token
}

export function revokeGrant(instance: Instance, grant: Grant): void {
  const { revocation_reach: reach } = instance.switches
  for (const each of instance.grants) {
    const same = each.client === grant.client && each.account === grant.account
    if (each === grant || (reach === 'grant' && same)) each.endedBy ??= 'revocation'
  }
}

export function worksAt(instance: Instance, token: string | undefined): Grant | undefined {
  const grant = grantByAccessToken(instance, token)
  const endsAt = grant?.accessTokens.get(token ?? '') ?? 0
  return grant && stateOf(grant, instance) === 'alive' && instance.now() < endsAt ? grant : undefined
}

import type { ProfileInput } from '../../../contract/integrations/profile-shape.ts'
import type { Switches } from './switch-table.ts'

export const tokenMembers = (base: string, switches: Switches): Partial<ProfileInput> => ({
  ...grantMembers(switches),
  tokenRequest: {
    ...(switches.token_request === 'json' && { format: 'json' as const }),
    ...(switches.token_parameter !== undefined && { extra: { [switches.token_parameter]: 'yes' } }),
    ...(switches.token_header !== undefined && { headers: { [switches.token_header]: '1' } }),
  },
  refresh: {
    ...(switches.refresh_at === 'elsewhere' && { url: `${base}/refresh` }),
    ...(switches.refresh_scope === 'needed' && { scopeNeeded: true }),
  },
  tokenAnswer: {
    ...(switches.errors === 'slack' && { successMember: 'ok' }),
    ...(switches.errors === 'clickup' && { errorMember: 'ECODE' }),
    ...(switches.token_type === 'bot' && { anyTokenType: true }),
    ...withinMember(switches),
    ...(['iso', 'epoch'].includes(switches.expiry) && { expiresAtMember: 'expires_at' }),
  },
})

function withinMember({ token_nesting: nesting }: Switches): { within?: string } {
  if (nesting === 'none' || nesting === 'list') return {}
  return { within: nesting === 'beside_bot' ? 'authed_user' : nesting }
}

function grantMembers(switches: Switches): Partial<ProfileInput> {
  const { rotation, refresh_idle: idle, grant_max_age: maxAge, refresh_token: when } = switches
  return {
    ...lastingMembers(switches),
    ...((when === 'app_setting' || when === 'approved') && { refreshTokens: when }),
    ...(rotation !== 'none' && { rotation }),
    ...(idle !== undefined && { refreshIdleDays: inDays(idle) }),
    ...(maxAge !== undefined && { refreshMaxAgeDays: inDays(maxAge) }),
    ...(switches.grant_limit && { limits: { liveGrants: switches.grant_limit } }),
  }
}

const inDays = (seconds: number): number => Math.max(1, Math.floor(seconds / 86_400))

/** Without a refresh token, the grant is the access token or the token it is exchanged for. */
function lastingMembers({ refresh_token: when, long_lived: longLived }: Switches): Partial<ProfileInput> {
  if (when !== 'never') return {}
  if (longLived === 'none') return { grant: 'lasting_access', refreshTokens: 'never' }
  const exchange = { grantType: 'fb_exchange_token', tokenParameter: 'fb_exchange_token' }
  return { grant: 'exchange', refreshTokens: 'never', exchange }
}

type RevocationInput = NonNullable<ProfileInput['revocation']>

export function revocationMembers(base: string, switches: Switches): RevocationInput {
  const { revocation: style, revocation_reach: reach } = switches
  const byAccess = { parameter: 'access_token', token: 'access_token' } as const
  const members: Record<Switches['revocation'], RevocationInput> = {
    rfc7009: { url: `${base}/revoke` },
    bearer: { url: `${base}/token/revoke`, token: 'access_token' },
    delete: { url: `${base}/applications/{client_id}/grant`, ...byAccess },
    client_header: { url: `${base}/oauth2/revoke`, scheme: 'Client', ...byAccess },
    deauthorize: { url: `${base}/deauthorize`, parameter: 'account_id', reach: 'grant' },
    none: {},
  }
  return { style, reach, ...members[style] }
}

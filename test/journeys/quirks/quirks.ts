// Each quirk of a provider that a profile can name, by its row in the table of quirks.
import { listFiles, type Quirk } from './quirk-world.ts'

/** The account where there is no identity token. */
const byUserinfo = { account: { from: 'userinfo', id: 'id', label: 'email' }, scopes: [{ name: 'files.read' }] }

const revocation = (style: string, more: (url: string) => object) => (url: string) => ({
  revocation: { style, reach: 'token', ...more(url) },
})

export const quirks: Record<string, Quirk> = {
  'nothing unusual': { switches: 'identity=id_token' },

  '1: a refresh token for who asks for it': { switches: 'refresh_token=asked' },
  '1: a refresh token at the first consent alone': { switches: 'refresh_token=first_consent' },
  '1: no refresh token, and an access token that lasts': {
    isComing: true,
    switches: 'refresh_token=never;access_lifetime=365d;expiry=missing',
    profile: () => ({ grant: 'lasting_access', refreshTokens: 'never' }),
    isNeverRefreshed: true,
  },
  '1: a long-lived token by another grant': {
    isComing: true,
    switches: 'refresh_token=never;long_lived=exchange',
    profile: () => ({
      grant: 'exchange',
      refreshTokens: 'never',
      exchange: { grantType: 'fb_exchange_token', tokenParameter: 'fb_exchange_token' },
    }),
    isNeverRefreshed: true,
  },
  '2: PKCE is refused': { isComing: true, switches: 'pkce=refused', profile: () => ({ pkce: 'none' }) },
  '3: a host for each customer': {
    isComing: true,
    switches: 'host_input=path',
    profile: (url) => ({
      ...byUserinfo,
      issuer: undefined,
      inputs: { site: { label: 'Site', pattern: '[a-z]{1,20}' } },
      endpoints: {
        authorization: `${url}/at/{site}/authorize`,
        token: `${url}/at/{site}/token`,
        userinfo: `${url}/at/{site}/userinfo`,
      },
      revocation: { url: `${url}/at/{site}/revoke`, reach: 'token' },
      tools: [listFiles(`${url}/at/{site}/api/files`)],
    }),
    session: { inputs: { site: 'acme' } },
  },
  '4: the place of the API comes with the token': {
    isComing: true,
    switches: 'api_base_member=api_place;api_base_value=place',
    profile: (url) => ({
      keep: { fromAnswer: { api_place: { pattern: 'place-[0-9a-f]+', as: 'text' } } },
      tools: [listFiles(`${url}/api/in/{api_place}/files`)],
    }),
  },
  '5: the place of the API comes with the callback': {
    isComing: true,
    switches: 'callback_member=realmId',
    profile: (url) => ({
      keep: { fromCallback: { realmId: { pattern: 'place-[0-9a-f]+', as: 'text' } } },
      tools: [listFiles(`${url}/api/in/{realmId}/files`)],
    }),
  },
  '6: token requests in JSON': {
    isComing: true,
    switches: 'token_request=json',
    profile: () => ({ tokenRequest: { format: 'json' } }),
  },
  '6: a parameter and a header more': {
    isComing: true,
    switches: 'token_parameter=audience;token_header=X-Version',
    profile: () => ({ tokenRequest: { extra: { audience: 'api' }, headers: { 'X-Version': '2' } } }),
  },
  '7: refreshed elsewhere': {
    isComing: true,
    switches: 'refresh_at=elsewhere',
    profile: (url) => ({ refresh: { url: `${url}/refresh` } }),
  },
  '7: scopes are repeated at a refresh': {
    isComing: true,
    switches: 'refresh_scope=needed',
    profile: () => ({ refresh: { scopeNeeded: true } }),
  },
  '8: revoked with the token as bearer': {
    isComing: true,
    switches: 'revocation=bearer',
    profile: revocation('bearer', (url) => ({ url: `${url}/token/revoke`, token: 'access_token' })),
  },
  '8: revoked by a DELETE of the client': {
    isComing: true,
    switches: 'revocation=delete',
    profile: revocation('delete', (url) => ({
      url: `${url}/applications/{client_id}/grant`,
      parameter: 'access_token',
      token: 'access_token',
    })),
  },
  '8: revoked with the client in a header of its own': {
    isComing: true,
    switches: 'revocation=client_header',
    profile: revocation('client_header', (url) => ({
      url: `${url}/oauth2/revoke`,
      scheme: 'Client',
      parameter: 'access_token',
      token: 'access_token',
    })),
  },
  '8: deauthorized by client and account': {
    isComing: true,
    switches: 'revocation=deauthorize',
    profile: revocation('deauthorize', (url) => ({ url: `${url}/deauthorize`, parameter: 'account_id' })),
  },
  '8: no way to revoke': {
    switches: 'revocation=none',
    profile: () => ({ revocation: { style: 'none' } }),
    staysAlive: true,
  },
  '9: scopes with commas': { switches: 'scope_separator=comma', profile: () => ({ scopeSeparator: ',' }) },
  '9: scopes with plus signs': {
    isComing: true,
    switches: 'scope_separator=plus',
    profile: () => ({ scopeSeparator: '+' }),
  },
  '9: scopes are set on the app': {
    isComing: true,
    switches: 'scopes=on_app',
    profile: () => ({ ...byUserinfo, scopesFrom: 'app' }),
  },
  '9: scopes of the user in a parameter of their own': {
    isComing: true,
    switches: 'scopes=user_scope',
    profile: () => ({ ...byUserinfo, scopes: [{ name: 'files.read', user: true }] }),
  },
  '10: other names of parameters': {
    isComing: true,
    switches: 'client_id_parameter=client_key;client_secret_parameter=app_secret;code_parameter=auth_code',
    profile: () => ({
      parameterNames: { client_id: 'client_key', client_secret: 'app_secret' },
      codeParameter: 'auth_code',
    }),
  },
  '11: the tokens stand in a member': {
    switches: 'token_nesting=authed_user',
    profile: () => ({ ...byUserinfo, tokenAnswer: { within: 'authed_user' } }),
  },
  '11: the time at which the token ends, as ISO': {
    switches: 'expiry=iso',
    profile: () => ({ tokenAnswer: { expiresAtMember: 'expires_at' } }),
  },
  '11: seconds as text': { switches: 'expiry=text' },
  '11: another type of token': {
    switches: 'token_type=bot',
    profile: () => ({ tokenAnswer: { anyTokenType: true } }),
  },
  '12: errors with status 200, in the words of Slack': {
    switches: 'errors=slack',
    profile: () => ({ tokenAnswer: { successMember: 'ok' }, brokenGrantErrors: ['invalid_refresh_token'] }),
  },
  '12: a dead grant by another error and status': {
    switches: 'broken_grant_error=bad_token;broken_grant_status=403',
    profile: () => ({ brokenGrantErrors: [{ error: 'bad_token', status: 403 }] }),
  },
  '13: refresh tokens are replaced': { switches: 'rotation=replaces', profile: () => ({ rotation: 'replaces' }) },
  '13: refresh tokens are good for one use': {
    switches: 'rotation=single_use',
    profile: () => ({ rotation: 'single_use' }),
  },
  '13: with ten minutes of grace': {
    switches: 'rotation=replaces;rotation_grace=10m',
    profile: () => ({ rotation: 'replaces', graceSeconds: 600 }),
  },
  '14: two live grants for each user': { switches: 'grant_limit=2' },
}

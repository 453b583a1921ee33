// Quirks of providers that a profile can describe, by row of the table of quirks. The misbehaving provider returns its profile.
import { presets } from '../../../src/demo/misbehave/domain/presets.ts'
import type { Quirk } from './quirk-world.ts'

export const quirks: Record<string, Quirk> = {
  'nothing unusual': { switches: 'identity=id_token' },
  '1: a refresh token for who asks for it': { switches: 'refresh_token=asked' },
  '1: a refresh token at the first consent alone': { switches: 'refresh_token=first_consent' },
  '1: a refresh token by a setting of the app': { switches: 'refresh_token=app_setting', isSetOnApp: true },
  '1: a refresh token for apps that are approved': { switches: 'refresh_token=approved', isSetOnApp: true },
  '1: no refresh token, and an access token that lasts': {
    switches: 'refresh_token=never;access_lifetime=365d;expiry=missing',
    isNeverRefreshed: true,
  },
  '1: a long-lived token by another grant': {
    switches: 'refresh_token=never;long_lived=exchange',
    isNeverRefreshed: true,
  },
  '2: PKCE is refused': { switches: 'pkce=refused' },
  '3: a host for each customer': {
    switches: 'host_input=path',
    session: { inputs: { site: 'acme' } },
  },
  '4: the place of the API comes with the token': {
    switches: 'api_base_member=api_place;api_base_value=place',
  },
  '4: the address of the API comes with the token': { switches: 'api_base_member=api_domain' },
  '5: the place of the API comes with the callback, and its address with the token': {
    switches: 'callback_member=realmId;api_base_member=api_domain',
  },
  '5: the place of the API comes with the callback': { switches: 'callback_member=realmId' },
  '5: the account comes with the callback': { switches: 'callback_member=realmId;identity=callback' },
  '5: the callback is signed by the secret': { switches: 'callback_hmac=signed' },
  '6: token requests in JSON': { switches: 'token_request=json' },
  '6: a parameter and a header more': { switches: 'token_parameter=audience;token_header=X-Version' },
  '6: a header of API requests': { switches: 'api_header=api-version' },
  '6: the client in a header': { switches: 'client_authentication=basic' },
  '7: refreshed elsewhere': { switches: 'refresh_at=elsewhere' },
  '7: scopes are repeated at a refresh': { switches: 'refresh_scope=needed' },
  '8: revoked with the token as bearer': { switches: 'revocation=bearer' },
  '8: revoked by a DELETE of the client': { switches: 'revocation=delete' },
  '8: revoked with the client in a header of its own': { switches: 'revocation=client_header' },
  '8: deauthorized by client and account': { switches: 'revocation=deauthorize;identity=token_answer' },
  '8: no way to revoke': { switches: 'revocation=none', staysAlive: true },
  '8: all of the user at once': { switches: 'revocation_reach=grant' },
  '9: scopes with commas': { switches: 'scope_separator=comma' },
  '9: scopes with plus signs': { switches: 'scope_separator=plus' },
  '9: scopes are set on the app': { switches: 'scopes=on_app' },
  '9: scopes of the user in a parameter of their own': { switches: 'scopes=user_scope' },
  '10: other names of parameters': {
    switches:
      'client_id_parameter=client_key;client_secret_parameter=app_secret;code_parameter=auth_code;refresh_token_parameter=renewal_token',
  },
  '11: the tokens stand in a member': { switches: 'token_nesting=authed_user' },
  '11: the tokens stand beside those of a bot': {
    switches: 'token_nesting=beside_bot;scopes=user_scope;scope_separator=comma',
  },
  '11: everything stands in a member': { switches: 'token_nesting=data' },
  '11: the time at which the token ends, as ISO': { switches: 'expiry=iso' },
  '11: the time at which the token ends, in seconds since 1970': { switches: 'expiry=epoch' },
  '11: seconds as text': { switches: 'expiry=text' },
  '11: another type of token': { switches: 'token_type=bot' },
  '11: the account in the token answer': { switches: 'identity=token_answer' },
  '12: errors with status 200, in the words of Slack': { switches: 'errors=slack' },
  '12: errors with status 200, in the words of GitHub': { switches: 'errors=github' },
  '12: errors in the words of Microsoft': { switches: 'errors=microsoft' },
  '12: errors in the words of Zoho': { switches: 'errors=zoho' },
  '12: errors in the words of Atlassian': { switches: 'errors=atlassian' },
  '12: errors in the words of ClickUp': { switches: 'errors=clickup' },
  '12: a dead grant by another error and status': { switches: 'broken_grant_error=bad_token;broken_grant_status=403' },
  '12: a refused client by another error and status': { switches: 'client_error=bad_app;client_error_status=403' },
  '13: refresh tokens are replaced': { switches: 'rotation=replaces' },
  '13: refresh tokens are good for one use': { switches: 'rotation=single_use' },
  '13: with ten minutes of grace': { switches: 'rotation=replaces;rotation_grace=10m' },
  '13: a grant that ends when it is not used': { switches: 'refresh_idle=90d' },
  '13: a grant that ends at an age': { switches: 'grant_max_age=365d' },
  '14: two live grants for each user': { switches: 'grant_limit=2;account=bea' },
  '15: one redirect URI for each app': {
    switches: 'callback_rules=one;redirect_uri=registered;redirect_uri_error=callback;errors=github',
    isRegistered: true,
  },
}

/** Further members that a preset needs. */
const presetNeeds: Record<string, Omit<Quirk, 'switches'>> = {
  microsoft: { staysAlive: true },
  slack: { isSetOnApp: true },
  github: { isSetOnApp: true },
  atlassian: { staysAlive: true },
  clickup: { staysAlive: true, isNeverRefreshed: true },
}

export const presetQuirks: Record<string, Quirk> = Object.fromEntries(
  Object.keys(presets).map((name) => [`preset: ${name}`, { switches: `preset=${name}`, ...presetNeeds[name] }]),
)

import { choice, count, name, seconds } from './switch.ts'

export const registrationSwitches = {
  app: choice(
    ['working', 'unverified', 'suspended', 'deleted', 'internal'],
    'The state of the OAuth app. `unverified` admits test users only, `internal` only users of one organization.',
  ),
  admin_approval: choice(['given', 'needed'], 'Whether an administrator has to approve the app first.'),
  client_secret: choice(['valid', 'expired'], 'Whether the client secret has expired.'),
  clients: choice(
    ['remembered', 'forgotten'],
    '`forgotten`: only clients that register at `/register` (RFC 7591) afterwards are known.',
  ),
  client_lifetime: seconds(undefined, 'Clients that registered themselves are forgotten after this time.'),
  client_authentication: choice(
    ['any', 'post', 'basic', 'none'],
    'The only accepted client authentication (RFC 6749 §2.3.1). `none` rejects a secret.',
  ),
  redirect_uri: choice(
    ['any', 'registered', 'rejected'],
    'The accepted redirect URIs: any, those registered for the client, or none.',
  ),
  redirect_uri_error: choice(
    ['own_page', 'plain_page', 'error_page', 'callback', 'json'],
    'How a rejected redirect URI is reported: on a page of the provider, with or without a reason; on an error page with ' +
      'the reason in its address; at the first registered redirect URI; or as JSON.',
  ),
  callback_rules: choice(
    ['any', 'https_only', 'one'],
    'Redirect URIs must be https, or an app may have only one redirect URI.',
  ),
  client_id_parameter: name('client_id', 'The name of the client ID parameter.'),
  client_secret_parameter: name('client_secret', 'The name of the client secret parameter.'),
}

export const authorizationSwitches = {
  consent: choice(
    ['granted', 'page', 'denied', 'partial', 'failed', 'never_returns'],
    'The user allows at once, chooses on a page, denies, or allows all scopes but the last; the provider fails; or the browser never returns.',
  ),
  sign_in: choice(
    ['first_checks', 'before_checks'],
    'Whether the request is checked before or after the sign-in page. `before_checks` shows the same page for every request.',
  ),
  pkce: choice(
    ['required', 'optional', 'ignored', 'refused'],
    'RFC 7636 with S256. `refused` rejects a `code_challenge` or `code_verifier`.',
  ),
  scope_separator: choice(['space', 'comma', 'plus'], 'The separator of scopes in requests and responses.'),
  scopes: choice(
    ['requested', 'on_app', 'user_scope'],
    '`on_app`: scopes are set in the app’s registration, and a `scope` parameter is an error. `user_scope`: the parameter has that name.',
  ),
  callback_iss: choice(['missing', 'named', 'wrong'], 'The `iss` of the callback (RFC 9207).'),
  callback_state: choice(['returned', 'missing', 'wrong'], 'The `state` of the callback.'),
  code_parameter: name('code', 'The name of the authorization code in the callback.'),
  callback_member: name(
    undefined,
    'An additional parameter of the callback, such as `realmId`. The API responds only below `/api/in/<its value>`.',
  ),
  callback_hmac: choice(['none', 'signed', 'wrong'], 'An `hmac` of the callback with the client secret as key.'),
  host_input: choice(
    ['none', 'path'],
    '`path`: every customer has a separate site. All endpoints are below `/at/<name>`.',
  ),
}

export const tokenSwitches = {
  token_request: choice(['form', 'json', 'any'], 'The only accepted format of token requests.'),
  token_parameter: name(undefined, 'An additional parameter that token requests must have.'),
  token_header: name(undefined, 'A header that token requests must have, such as `X-Version`.'),
  refresh_at: choice(['token', 'elsewhere'], '`elsewhere`: refresh tokens are accepted only at `/refresh`.'),
  refresh_scope: choice(['optional', 'needed'], 'Whether a refresh must repeat the scopes.'),
  refresh_token_parameter: name('refresh_token', 'The name of the refresh token parameter.'),
  token_nesting: choice(
    ['none', 'authed_user', 'beside_bot', 'data', 'list'],
    'Where the tokens are in the response: at the top, in a member, or in a list of one. `beside_bot`: in `authed_user`, with the tokens of a bot at the top.',
  ),
  token_type: choice(['Bearer', 'bearer', 'bot', 'missing'], 'The `token_type` of the response.'),
  expiry: choice(
    ['expires_in', 'text', 'iso', 'epoch', 'missing', 'words'],
    'How the response states the expiry of the access token: seconds, seconds as text, `expires_at` as ISO or epoch, or not at all. `words` is invalid.',
  ),
  scope_answer: choice(
    ['same', 'missing', 'narrower', 'wider', 'reordered', 'list'],
    'The `scope` of the response compared with the granted scopes.',
  ),
  answer_format: choice(['json', 'text', 'form', 'utf16', 'bom'], 'The content type and encoding of token responses.'),
  api_base_member: name(
    undefined,
    'The member of the response that names the base of the API, such as `api_domain`. The API responds only there.',
  ),
  api_base_value: choice(['url', 'place'], 'The value of that member: the whole URL, or its last segment.'),
  api_header: name(undefined, 'A header that API requests must have, such as `api-version`.'),
  errors: choice(
    ['rfc', 'status_200', 'google', 'microsoft', 'slack', 'github', 'atlassian', 'zoho', 'clickup'],
    'The format of errors: RFC 6749, RFC 6749 with status 200, or that of a known provider.',
  ),
  broken_grant_error: name(undefined, 'The error of a dead refresh token. Overrides `errors`.'),
  broken_grant_status: count(undefined, 'The status of that error.'),
  client_error: name(undefined, 'The error of an unknown client or wrong secret. Overrides `errors`.'),
  client_error_status: count(undefined, 'The status of that error.'),
  refresh_errors: choice(
    ['explained', 'bare'],
    '`bare`: every rejected refresh gets 400 without a body, for a wrong secret as for a dead grant.',
  ),
}

export const grantSwitches = {
  refresh_token: choice(
    ['always', 'asked', 'first_consent', 'app_setting', 'approved', 'never', 'empty', 'null', 'number'],
    'When a refresh token is issued. `asked`: with `access_type=offline`, `token_access_type=offline` or `offline_access`. ' +
      '`app_setting` and `approved`: once `PUT /control/app-setting` has turned it on. `empty`, `null` and `number` are not tokens.',
  ),
  long_lived: choice(
    ['none', 'exchange', 'refused'],
    '`exchange`: `grant_type=fb_exchange_token` exchanges an access token for a long-lived one. `refused`: that exchange fails.',
  ),
  access_lifetime: seconds(3_600, 'The lifetime of an access token.'),
  rotation: choice(
    ['none', 'replaces', 'single_use'],
    'A refresh returns a new refresh token and ends the old one. With `single_use`, a second use of the old one ends the grant.',
  ),
  rotation_grace: seconds(0, 'How long the old refresh token works after a rotation.'),
  refresh_idle: seconds(undefined, 'A grant ends if it is not refreshed for this time.'),
  grant_max_age: seconds(undefined, 'A grant ends this long after consent, such as seven days in a testing mode.'),
  grant_limit: count(undefined, 'The max number of live grants per user and app. A new grant evicts the oldest.'),
  grants: choice(['alive', 'dead'], '`dead`: all grants have ended, as after a change of the app.'),
  clock_speed: count(1, 'The seconds that pass at the provider in one second. Applies to all times above.'),
  identity: choice(
    ['id_token', 'userinfo', 'token_answer', 'callback', 'none'],
    'Where the account is stated: in an ID token and at `/userinfo`, only at `/userinfo`, in the members `account_id` and ' +
      '`account_email` of the token response, in the `callback_member`, or nowhere.',
  ),
  id_token: choice(
    ['sound', 'missing', 'unsigned', 'expired', 'future', 'other_audience', 'other_issuer', 'other_nonce'],
    'The ID token.',
  ),
  account: name('ada', 'The account that signs in.'),
}

const manners = [
  'good',
  'html',
  'html_error',
  'empty',
  'not_json',
  'redirect',
  'slow',
  'drip',
  'hang',
  'headers_only',
  'cut',
  'reset',
  'huge',
  'gzip_bomb',
  'throttled',
  'server_error',
  'out_of_service',
] as const
export type Manner = (typeof manners)[number]

const manner = (endpoint: string) => choice(manners, `How ${endpoint} responds.`)

/** A manner changes only the delivery of a response: a grant whose response is cut off exists. */
export const mannerSwitches = {
  authorize_manner: manner('the authorization endpoint'),
  token_manner: manner('the token endpoint to a code'),
  refresh_manner: manner('the token endpoint to a refresh token'),
  userinfo_manner: manner('`/userinfo`'),
  revocation_manner: manner('the revocation endpoint'),
  discovery_manner: manner('the metadata'),
  api_manner: manner('the API'),
  slow_seconds: seconds(30, 'The delay of `slow`.'),
  huge_bytes: count(1_073_741_824, 'The size of `huge` and `gzip_bomb`.'),
  revocation: choice(
    ['rfc7009', 'bearer', 'delete', 'client_header', 'deauthorize', 'none'],
    'How a grant is revoked: RFC 7009; a POST with the access token as bearer; DELETE of the app’s grant with Basic; ' +
      'a POST with `Authorization: Client <secret>`; a POST with client and account; or not at all.',
  ),
  revocation_reach: choice(['token', 'grant'], 'Revoking ends that grant, or all grants of the user to this app.'),
  clock_skew: seconds(0, 'How far the clock of the provider is behind: the `Date` of responses, and ID tokens.'),
}

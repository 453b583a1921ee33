// What happens between the authorization request and the callback.
import { choice, name } from '../switch.ts'

export const authorizationSwitches = {
  consent: choice(
    ['granted', 'page', 'denied', 'partial', 'failed', 'never_returns'],
    'What the user says: at once, on a page with buttons, no, not to every scope; an error of the provider; or nothing.',
  ),
  sign_in: choice(
    ['first_checks', 'before_checks'],
    'Whether the request is checked first, or everybody meets the same sign-in page first.',
  ),
  pkce: choice(
    ['required', 'optional', 'ignored', 'refused'],
    'RFC 7636 with S256: `refused` answers a `code_challenge` or `code_verifier` with an error.',
  ),
  scope_separator: choice(['space', 'comma', 'plus'], 'What stands between scopes, in requests and in answers.'),
  scopes: choice(
    ['requested', 'on_app', 'user_scope'],
    '`on_app`: set where the app is registered, a `scope` parameter is an error. `user_scope`: asked for by that name.',
  ),
  callback_iss: choice(['missing', 'named', 'wrong'], 'The `iss` of the callback (RFC 9207).'),
  callback_state: choice(['returned', 'missing', 'wrong'], 'The `state` of the callback.'),
  code_parameter: name('code', 'What the authorization code is called in the callback.'),
  callback_member: name(
    undefined,
    'A further parameter of the callback, such as `realmId`. The API answers below `/api/in/<its value>` alone.',
  ),
  callback_hmac: choice(['none', 'signed', 'wrong'], 'An `hmac` of the callback by the client secret.'),
  host_input: choice(
    ['none', 'path'],
    'Each customer has a host of its own: everything stands below `/at/<name>`, and nothing without it.',
  ),
}

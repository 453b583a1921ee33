// The app as it is registered at the provider, and what the provider thinks of it.
import { choice, name, seconds } from '../switch.ts'

export const registrationSwitches = {
  app: choice(
    ['working', 'unverified', 'suspended', 'deleted', 'internal'],
    'The state of the OAuth app: `unverified` lets test users alone in, `internal` the users of one organization alone.',
  ),
  admin_approval: choice(['given', 'needed'], 'An administrator of the user has to approve the app first.'),
  client_secret: choice(['valid', 'expired'], 'The client secret has expired.'),
  clients: choice(
    ['remembered', 'forgotten'],
    'Clients are unknown, except those that register at `/register` (RFC 7591) afterwards.',
  ),
  client_lifetime: seconds(undefined, 'A client that registered itself is forgotten after this time.'),
  client_authentication: choice(
    ['any', 'post', 'basic', 'none'],
    'The one way in which clients say who they are (RFC 6749 §2.3.1); `none` refuses a secret.',
  ),
  redirect_uri: choice(
    ['any', 'registered', 'rejected'],
    'Which redirect URIs are taken: `registered` compares with those of the client, `rejected` takes none.',
  ),
  redirect_uri_error: choice(
    ['own_page', 'callback', 'json'],
    'Where a rejected redirect URI is told: on a page of the provider, at the first registered redirect URI, or as JSON.',
  ),
  callback_rules: choice(['any', 'https_only', 'one'], 'Redirect URIs must be https, or every app may have one alone.'),
  client_id_parameter: name('client_id', 'What the client ID is called in requests.'),
  client_secret_parameter: name('client_secret', 'What the client secret is called in requests.'),
}

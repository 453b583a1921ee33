// How answers travel, endpoint by endpoint; what was decided behind them stays decided.
import { choice, count, seconds } from '../switch.ts'

export const manners = [
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

const manner = (endpoint: string) => choice(manners, `How ${endpoint} answers.`)

export const mannerSwitches = {
  authorize_manner: manner('the authorization endpoint'),
  token_manner: manner('the token endpoint, to a code'),
  refresh_manner: manner('the token endpoint, to a refresh token'),
  userinfo_manner: manner('`/userinfo`'),
  revocation_manner: manner('the revocation endpoint'),
  discovery_manner: manner('the metadata'),
  api_manner: manner('the API'),
  slow_seconds: seconds(30, 'How long `slow` takes.'),
  huge_bytes: count(1_073_741_824, 'How much `huge` and `gzip_bomb` are.'),
  revocation: choice(
    ['rfc7009', 'bearer', 'delete', 'client_header', 'deauthorize', 'none'],
    'How a grant is revoked: RFC 7009; a POST with the access token as bearer; DELETE of the app’s grant with Basic; ' +
      'a POST with `Authorization: Client <secret>`; a POST that names client and account; not at all.',
  ),
  revocation_reach: choice(['token', 'grant'], 'What revoking ends: that grant, or all of the user to this app.'),
  clock_skew: seconds(0, 'How far the `Date` of answers is behind.'),
}

// The token endpoint: what it wants, and what it answers.
import { choice, count, name } from '../switch.ts'

export const tokenSwitches = {
  token_request: choice(['form', 'json', 'any'], 'The one format of token requests.'),
  token_parameter: name(undefined, 'A parameter that token requests must have beside those of the RFC.'),
  token_header: name(undefined, 'A header that token requests must have, such as `X-Version`.'),
  refresh_at: choice(['token', 'elsewhere'], 'Refresh tokens are taken at `/refresh` alone.'),
  refresh_scope: choice(['optional', 'needed'], 'A refresh must repeat the scopes.'),
  token_nesting: choice(
    ['none', 'authed_user', 'data', 'list'],
    'Where the tokens stand in the answer: at the top, in a member, or in a list of one.',
  ),
  token_type: choice(['Bearer', 'bearer', 'bot', 'missing'], 'The `token_type` of the answer.'),
  expiry: choice(
    ['expires_in', 'text', 'iso', 'epoch', 'missing', 'words'],
    'How the answer says when the access token ends: seconds, seconds as text, `expires_at` as ISO or epoch, or not.',
  ),
  scope_answer: choice(
    ['same', 'missing', 'narrower', 'wider', 'reordered', 'list'],
    'The `scope` of the answer, beside those granted.',
  ),
  answer_format: choice(['json', 'text', 'form', 'utf16', 'bom'], 'The content type and encoding of token answers.'),
  api_base_member: name(
    undefined,
    'The member of the answer that names the base of the API, such as `api_domain`. The API answers there alone.',
  ),
  api_base_value: choice(['url', 'place'], 'What stands in it: the whole address, or the last part of it.'),
  errors: choice(
    ['rfc', 'status_200', 'google', 'microsoft', 'slack', 'github', 'atlassian', 'zoho', 'clickup'],
    'How errors are told: as RFC 6749 says, with status 200, or in the words of a known provider.',
  ),
  broken_grant_error: name(undefined, 'The error of a dead refresh token, whatever `errors` says.'),
  broken_grant_status: count(undefined, 'Its status.'),
  client_error: name(undefined, 'The error of an unknown client or wrong secret, whatever `errors` says.'),
  client_error_status: count(undefined, 'Its status.'),
}

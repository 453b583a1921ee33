// How long what was granted lasts, and what ends it.
import { choice, count, name, seconds } from '../switch.ts'

export const grantSwitches = {
  refresh_token: choice(
    ['always', 'asked', 'first_consent', 'app_setting', 'approved', 'never', 'empty', 'null', 'number'],
    'When there is one. `asked`: with `access_type=offline`, `token_access_type=offline` or `offline_access`. ' +
      '`app_setting`: once it is switched on by API. `approved`: once the app is approved, by API too. The last three answer something that is no token.',
  ),
  long_lived: choice(
    ['none', 'exchange'],
    'An access token is exchanged for a long-lived one by `grant_type=fb_exchange_token`.',
  ),
  access_lifetime: seconds(3_600, 'How long an access token works.'),
  rotation: choice(
    ['none', 'replaces', 'single_use'],
    'A refresh brings a new refresh token: the old one ends; with `single_use` its second use ends the grant.',
  ),
  rotation_grace: seconds(0, 'How long the old refresh token still works after a rotation.'),
  refresh_idle: seconds(undefined, 'A grant that is not refreshed for this time ends.'),
  grant_max_age: seconds(undefined, 'A grant ends this long after the consent, as in a testing mode of seven days.'),
  grant_limit: count(undefined, 'Live grants of one user and one app: one more ends the oldest.'),
  grants: choice(['alive', 'dead'], 'Every grant is dead, as after a change of the app.'),
  clock_speed: count(1, 'How many seconds pass here in one second, for everything above.'),
  identity: choice(
    ['id_token', 'userinfo', 'token_answer', 'none'],
    'Where the account is told: in an ID token and at `/userinfo`, at one of them, or in the members `account_id`, ' +
      '`account_email`.',
  ),
  id_token: choice(
    ['sound', 'missing', 'unsigned', 'expired', 'future', 'other_audience', 'other_issuer', 'other_nonce'],
    'The ID token.',
  ),
  account: name('ada', 'Who signs in.'),
}

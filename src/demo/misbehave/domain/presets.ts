// Sets of switches under one name: `preset=slack`. Facts as of November 2026, from the vendors' own pages.
import type { Switches } from './switch-table.ts'

export const presets: Readonly<Record<string, Partial<Switches>>> = {
  /** Seven days after consent everything ends, while the app's publishing status is "Testing". */
  'google-testing': { errors: 'google', refresh_token: 'first_consent', grant_max_age: 7 * 86_400 },
  google: { errors: 'google', refresh_token: 'first_consent', revocation_reach: 'grant', grant_limit: 100 },
  microsoft: { errors: 'microsoft', rotation: 'replaces', rotation_grace: 86_400, revocation: 'none' },
  slack: {
    errors: 'slack',
    scope_separator: 'comma',
    refresh_token: 'app_setting',
    rotation: 'replaces',
    token_type: 'bot',
    identity: 'token_answer',
    pkce: 'ignored',
    revocation: 'bearer',
  },
  github: {
    errors: 'github',
    refresh_token: 'app_setting',
    rotation: 'replaces',
    token_type: 'bearer',
    identity: 'userinfo',
    redirect_uri_error: 'callback',
    revocation: 'delete',
  },
  atlassian: {
    errors: 'atlassian',
    token_request: 'json',
    refresh_token: 'asked',
    rotation: 'single_use',
    rotation_grace: 600,
    refresh_idle: 90 * 86_400,
    revocation: 'none',
    identity: 'userinfo',
  },
  zoho: { errors: 'zoho', api_base_member: 'api_domain', grant_limit: 20, refresh_token: 'first_consent' },
  /** Access tokens do not end (developer.clickup.com/docs/authentication); ten years stand for that. */
  clickup: {
    errors: 'clickup',
    refresh_token: 'never',
    expiry: 'missing',
    access_lifetime: 3_650 * 86_400,
    revocation: 'none',
    identity: 'userinfo',
  },
}

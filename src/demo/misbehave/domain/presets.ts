// `preset=slack` sets all of these. Facts as of November 2026, from the vendors' own pages.
import { parseSwitches, type Switches, SwitchUnknown } from './switch-table.ts'

export const presets: Readonly<Record<string, Partial<Switches>>> = {
  /** Grants end after seven days while the app's publishing status is "Testing". */
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
    redirect_uri_error: 'error_page',
    token_request: 'json',
    refresh_token: 'asked',
    rotation: 'single_use',
    rotation_grace: 600,
    refresh_idle: 90 * 86_400,
    revocation: 'none',
    identity: 'userinfo',
  },
  zoho: { errors: 'zoho', api_base_member: 'api_domain', grant_limit: 20, refresh_token: 'first_consent' },
  /** Access tokens don't expire (developer.clickup.com/docs/authentication); ten years approximate that. */
  clickup: {
    errors: 'clickup',
    refresh_token: 'never',
    expiry: 'missing',
    access_lifetime: 3_650 * 86_400,
    revocation: 'none',
    identity: 'userinfo',
  },
}

type InstanceName = { name: string; switches: Partial<Switches> }

export type Presets = Readonly<Record<string, Partial<Switches>>>

/** `acme-ci;preset=slack;rotation=single_use`. Throws SwitchUnknown. */
export function parseInstanceName(segment: string, presets: Presets): InstanceName {
  const [name = '', ...pairs] = segment.split(';')
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    throw new SwitchUnknown(
      'The first part of the path must be a name in lower case, such as "ci", then ;switch=value.',
    )
  }
  const given = pairs.map((pair) => splitAt(pair, '='))
  const preset = given.filter(([key]) => key === 'preset').map(([, value]) => presetOf(value, presets))
  const switches = parseSwitches(given.filter(([key]) => key !== 'preset'))
  return { name, switches: Object.assign({}, ...preset, switches) }
}

function presetOf(name: string, presets: Presets): Partial<Switches> {
  const found = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (!found) throw new SwitchUnknown(`There is no preset "${name}": there are ${Object.keys(presets).join(', ')}.`)
  return found
}

function splitAt(text: string, sign: string): [string, string] {
  const at = text.indexOf(sign)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

import type { ProfileInput } from '../../../contract/integrations/profile-shape.ts'
import { errorAnswer } from './errors.ts'
import { firstClient, type Instance } from './instance.ts'
import { separators } from './scopes.ts'
import type { Switches } from './switch-table.ts'
import { revocationMembers, tokenMembers } from './token-profile.ts'

type IntegrationEntry = ProfileInput & { clientId: string; clientSecret?: string }

/** An entry for INTEGRATIONS_FILE whose profile fits the switches of the provider. */
export function integrationEntry(instance: Instance, id: string): IntegrationEntry {
  const { url, switches } = instance
  const base = switches.host_input === 'path' ? `${url}/at/{site}` : url
  const hasIdToken = saysIdentityByToken(switches)
  return {
    id,
    displayName: 'Misbehaving provider',
    clientId: firstClient.id,
    ...(switches.client_authentication !== 'none' && { clientSecret: firstClient.secret }),
    ...(hasIdToken && { issuer: url }),
    endpoints: {
      authorization: `${base}/authorize`,
      token: `${base}/token`,
      ...(hasUserinfo(switches) && { userinfo: `${base}/userinfo` }),
      ...(hasIdToken && { jwks: `${url}/jwks` }),
    },
    ...accountMember(base, switches, hasIdToken),
    scopes: [...(hasIdToken ? [{ name: 'openid' }] : []), filesScope(switches)],
    health: { tool: 'list_files' },
    apiHosts: [new URL(url).host],
    tools: [listFiles(`${base}${apiPath(switches)}/files`)],
    ...requestMembers(switches),
    ...keptMembers(url, switches),
    ...errorMembers(switches),
    ...tokenMembers(base, switches),
    revocation: revocationMembers(base, switches),
  }
}

const hasUserinfo = ({ identity }: Switches) => identity !== 'token_answer' && identity !== 'callback'

/** An issuer can't contain placeholders, and without requested scopes there is no ID token. */
const saysIdentityByToken = ({ identity, host_input: host, scopes, token_nesting: nesting }: Switches): boolean =>
  identity === 'id_token' && host === 'none' && scopes === 'requested' && nesting === 'none'

const filesScope = ({ scopes }: Switches) => ({ name: 'files.read', ...(scopes === 'user_scope' && { user: true }) })

function accountMember(
  base: string,
  { identity, callback_member: member }: Switches,
  hasIdToken: boolean,
): Pick<ProfileInput, 'account'> {
  if (hasIdToken) return {}
  if (identity === 'token_answer')
    return { account: { from: 'token_response', id: 'account_id', label: 'account_email' } }
  if (identity === 'callback' && member) {
    const proof = `${base}/api/in/{${member}}/files`
    return { account: { from: 'callback', id: member, label: member, proof } }
  }
  return identity === 'none' || identity === 'callback'
    ? { account: { from: 'none' } }
    : { account: { from: 'userinfo', id: 'id', label: 'email' } }
}

function apiPath({ api_base_member: inAnswer, callback_member: inCallback }: Switches): string {
  const member = inAnswer ?? inCallback
  return member === undefined ? '/api' : `/api/in/{${member}}`
}

const listFiles = (url: string) => ({
  name: 'list_files',
  description: 'Lists files.',
  inputSchema: { type: 'object' as const },
  request: { method: 'GET' as const, url },
})

const place = 'place-[0-9a-f]+'

function keptMembers(url: string, switches: Switches): Pick<ProfileInput, 'keep'> {
  const { api_base_member: inAnswer, api_base_value: value, callback_member: inCallback } = switches
  const base = value === 'url' ? `${literally(`${url}/api/in/`)}${place}` : place
  const keep = {
    ...(inAnswer !== undefined && { fromAnswer: { [inAnswer]: { pattern: base, as: 'text' as const } } }),
    ...(inCallback !== undefined && { fromCallback: { [inCallback]: { pattern: place, as: 'text' as const } } }),
  }
  return Object.keys(keep).length > 0 ? { keep } : {}
}

const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

function requestMembers(switches: Switches): Partial<ProfileInput> {
  const { client_authentication: way } = switches
  return {
    ...(switches.pkce === 'refused' && { pkce: 'none' }),
    ...(way === 'basic' && { clientAuthentication: 'client_secret_basic' }),
    ...(way === 'none' && { clientAuthentication: 'none' }),
    ...(switches.callback_iss === 'named' && { issuerInCallback: true }),
    ...(switches.callback_hmac !== 'none' && { callbackSignature: { parameter: 'hmac' } }),
    ...(switches.scope_separator !== 'space' && { scopeSeparator: separators[switches.scope_separator] }),
    ...(switches.scopes === 'on_app' && { scopesFrom: 'app' }),
    ...(switches.host_input === 'path' && { inputs: { site: { label: 'Site', pattern: '[a-z0-9]{1,20}' } } }),
    ...(switches.api_header !== undefined && { api: { headers: { [switches.api_header]: '1' } } }),
    ...parameterMembers(switches),
  }
}

function parameterMembers(switches: Switches): Partial<ProfileInput> {
  const { client_id_parameter: id, client_secret_parameter: secret, code_parameter: code } = switches
  const { refresh_token_parameter: refresh } = switches
  const parameterNames = {
    ...(id !== 'client_id' && { client_id: id }),
    ...(secret !== 'client_secret' && { client_secret: secret }),
    ...(refresh !== 'refresh_token' && { refresh_token: refresh }),
  }
  return {
    ...(Object.keys(parameterNames).length > 0 && { parameterNames }),
    ...(code !== 'code' && { codeParameter: code }),
  }
}

/** Errors that differ from RFC 6749 §5.2. */
function errorMembers(switches: Switches): Partial<ProfileInput> {
  const [broken, client] = [errorAnswer('grant_ended', switches), errorAnswer('secret_wrong', switches)].map(
    ({ status, body }) => ({ error: String(body.error ?? body.ECODE), status }),
  )
  return {
    ...(broken && broken.error !== 'invalid_grant' && { brokenGrantErrors: [broken] }),
    ...(client && client.error !== 'invalid_client' && { clientErrors: [client] }),
  }
}

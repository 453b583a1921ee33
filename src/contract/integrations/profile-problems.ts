// Profiles that parse but would fail every link. Reported at start.
import { acceptedValue, gapsOf, isSafeRule } from './address-template.ts'
import { discoveredNames } from './discovered-server.ts'
import type { Profile } from './profile-shape.ts'
import { scopeValues } from './requested-scopes.ts'
import { toolProblems } from './tool-problems.ts'

type ProfileProblem = { path: string[]; message: string }
type Finding = [isBroken: boolean, member: string, message: string]

export const profileProblems = (profile: Profile): ProfileProblem[] => [
  ...[
    ...scopeFindings(profile),
    ...accountFindings(profile),
    ...grantFindings(profile),
    ...addressFindings(profile),
    ...mcpFindings(profile),
  ].flatMap(([isBroken, member, message]) => (isBroken ? [{ path: member.split('/'), message }] : [])),
  ...toolProblems(profile),
]

const hasOpenId = ({ scopes }: Profile) => scopes.some(({ name }) => name === 'openid')

function scopeFindings(profile: Profile): Finding[] {
  const { scopes, optionalScopes, scopesFrom, scopeSeparator, mcpUrl, inputs, keep } = profile
  const names = scopes.map(({ name }) => name)
  const all = [...names, ...optionalScopes.map(({ name }) => name)]
  const taken = Object.keys({ ...keep.fromAnswer, ...keep.fromCallback, ...inputs }).find((name) =>
    Object.values<string>(scopeValues).includes(name),
  )
  return [
    [
      scopesFrom === 'request' && names.length === 0 && mcpUrl === undefined,
      'scopes',
      'must not be empty, unless the app sets the scopes (scopesFrom)',
    ],
    [new Set(names).size < names.length, 'scopes', 'must not contain duplicates'],
    [
      new Set(all).size < all.length && new Set(names).size === names.length,
      'optionalScopes',
      'must not contain duplicates, or scopes that are always requested',
    ],
    [all.some((name) => name.includes(scopeSeparator)), 'scopes', 'must not contain the scopeSeparator'],
    [
      optionalScopes.length > 0 && scopesFrom === 'app',
      'optionalScopes',
      'must not be set if the app sets the scopes (scopesFrom)',
    ],
    [taken !== undefined, 'inputs', `must not be named ${taken}: the requested scopes have that name`],
  ]
}

function accountFindings(profile: Profile): Finding[] {
  const { account, endpoints, issuer, mcpUrl } = profile
  return [
    [
      account.from === 'id_token' && !hasOpenId(profile) && mcpUrl === undefined,
      'scopes',
      'must include openid, or account.from must name another source',
    ],
    [
      account.from === 'userinfo' && endpoints !== undefined && endpoints.userinfo === undefined,
      'endpoints',
      'must include userinfo, because account.from is userinfo',
    ],
    [
      hasOpenId(profile) && endpoints !== undefined && issuer === undefined,
      'issuer',
      'is required with endpoints and the scope openid: identity tokens name it',
    ],
    [
      profile.callbackSignature !== undefined && profile.clientAuthentication === 'none',
      'callbackSignature',
      'requires a client secret',
    ],
    [account.from === 'inputs' && profile.inputs[account.id] === undefined, 'account', 'must use an input as its id'],
    [
      account.from === 'inputs' &&
        profile.callbackSignature === undefined &&
        !gapsOf(endpoints?.token ?? '').includes(account.id),
      'account',
      'must use an input in endpoints/token as its id, or have a callbackSignature: otherwise the user chooses the account',
    ],
    [account.proof !== undefined && account.from !== 'callback', 'account', 'may have a proof only for from: callback'],
    [
      account.from === 'callback' && profile.keep.fromCallback[account.id] === undefined,
      'account',
      'must use a value kept from the callback as its id',
    ],
    [
      issuer === undefined && endpoints === undefined && mcpUrl === undefined,
      'issuer',
      'is required, or endpoints, or mcpUrl',
    ],
  ]
}

function grantFindings({
  grant,
  exchange,
  health,
  rotation,
  refreshTokens,
  revocation,
  endpoints,
}: Profile): Finding[] {
  const needsAddress = !['rfc7009', 'none'].includes(revocation.style)
  return [
    [grant === 'exchange' && exchange === undefined, 'exchange', 'is required by the grant exchange'],
    [grant !== 'exchange' && exchange !== undefined, 'exchange', 'is only allowed with the grant exchange'],
    [grant === 'refresh' && refreshTokens === 'never', 'grant', 'must not be refresh if refreshTokens is never'],
    [grant !== 'refresh' && health.by === 'refresh', 'health', 'must not refresh if the grant is not refresh'],
    [
      health.by === 'refresh' && rotation === undefined,
      'rotation',
      'is required if health checks refresh: a rotating token must have only one user',
    ],
    [needsAddress && revocation.url === undefined, 'revocation', `must have a url for the style ${revocation.style}`],
    [
      revocation.style === 'deauthorize' && revocation.reach === 'token',
      'revocation',
      'must have the reach grant for the style deauthorize, which revokes the whole grant',
    ],
    [exchange !== undefined && exchange.url === undefined && endpoints === undefined, 'exchange', 'must have a url'],
  ]
}

/** The later a URL is used, the more values are known. */
function addressFindings(profile: Profile): Finding[] {
  const { inputs, keep, issuer, endpoints, scopes, optionalScopes } = profile
  const { exchange, refresh, revocation, apiHosts, gitHosts } = profile
  const typed = Object.keys(inputs)
  const atCallback = [...typed, ...Object.keys(keep.fromCallback)]
  const all = [...atCallback, ...Object.keys(keep.fromAnswer)]
  const rules = Object.entries({ ...keep.fromAnswer, ...keep.fromCallback, ...inputs })
  const strangers = (known: string[], ...addresses: Array<string | undefined>) =>
    addresses.flatMap((address = '') => gapsOf(address)).filter((name) => !known.includes(name))
  const unknown = (member: string, names: string[]): Finding => [
    names.length > 0,
    member,
    `must not have the gap {${names[0]}}: its value is not known at that point`,
  ]
  return [
    unknown('mcpUrl', strangers(typed, profile.mcpUrl)),
    unknown('issuer', strangers(endpoints ? atCallback : [], issuer)),
    unknown('endpoints/authorization', strangers(typed, endpoints?.authorization)),
    unknown('scopes', strangers(typed, ...scopes.map(({ name }) => name))),
    unknown('optionalScopes', strangers(typed, ...optionalScopes.map(({ name }) => name))),
    unknown('endpoints/token', strangers(atCallback, endpoints?.token)),
    unknown('endpoints', strangers(all, endpoints?.userinfo, endpoints?.jwks)),
    unknown('account', strangers(all, profile.account.proof)),
    unknown('exchange', strangers(all, exchange?.url)),
    unknown('refresh', strangers(all, refresh.url)),
    unknown('revocation', strangers([...all, 'client_id'], revocation.url)),
    unknown('apiHosts', strangers(all, ...apiHosts)),
    unknown('gitHosts', strangers(all, ...gitHosts.map(({ host }) => host))),
    ...Object.entries(inputs).map(
      ([name, rule]): Finding => [
        rule.default !== undefined && acceptedValue(rule, rule.default) === undefined,
        `inputs/${name}`,
        'must have a default that matches its pattern',
      ],
    ),
    ...rules.map(
      ([name, rule]): Finding => [
        !isSafeRule(rule),
        rule === inputs[name] ? `inputs/${name}` : 'keep',
        `must have a pattern that matches only hosts of the provider (${name})`,
      ],
    ),
  ]
}

/** The MCP server is the source of its tools and OAuth settings. The issuer only restricts what it may name. */
function mcpFindings(profile: Profile): Finding[] {
  const { mcpUrl, endpoints, tools, apiHosts, gitHosts, inputs, keep, issuer, resourceParameter, pkceMetadata } =
    profile
  if (mcpUrl === undefined) return []
  const isExcepted = resourceParameter === 'omit' || pkceMetadata === 'optional'
  const taken = Object.keys({ ...keep.fromAnswer, ...keep.fromCallback, ...inputs }).find((name) =>
    discoveredNames.has(name),
  )
  return [
    [endpoints !== undefined, 'endpoints', 'must not be set with mcpUrl: they are discovered'],
    [tools.length > 0, 'tools', 'must not be set with mcpUrl: the server provides them'],
    [apiHosts.length > 0, 'apiHosts', 'must not be set with mcpUrl: functions reach only that server'],
    [gitHosts.length > 0, 'gitHosts', 'must not be set with mcpUrl: functions reach only that server'],
    [
      isExcepted && issuer === undefined,
      'issuer',
      'is required with resourceParameter and pkceMetadata: they weaken protection at that server only',
    ],
    [taken !== undefined, 'inputs', `must not be named ${taken}: discovery uses that name`],
  ]
}

// Profiles that can be read and would fail every link: told at start, before any user finds out.
import { gapsOf, isSafeRule } from './address-template.ts'
import { discoveredNames } from './discovered-server.ts'
import type { Profile } from './profile-shape.ts'
import { toolProblems } from './tool-problems.ts'

export type ProfileProblem = { path: string[]; message: string }
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

function scopeFindings({ scopes, scopesFrom, scopeSeparator, mcpUrl }: Profile): Finding[] {
  const names = scopes.map(({ name }) => name)
  return [
    [
      scopesFrom === 'request' && names.length === 0 && mcpUrl === undefined,
      'scopes',
      'must have one, unless they are set on the app (scopesFrom)',
    ],
    [new Set(names).size < names.length, 'scopes', 'must name each scope once'],
    [names.some((name) => name.includes(scopeSeparator)), 'scopes', 'must not hold the scopeSeparator'],
  ]
}

function accountFindings(profile: Profile): Finding[] {
  const { account, endpoints, issuer, mcpUrl } = profile
  return [
    [
      account.from === 'id_token' && !hasOpenId(profile) && mcpUrl === undefined,
      'scopes',
      'must have openid among them, or account must say where else the account is told',
    ],
    [
      account.from === 'userinfo' && endpoints !== undefined && endpoints.userinfo === undefined,
      'endpoints',
      'must have a userinfo, because the account is told there',
    ],
    [
      hasOpenId(profile) && endpoints !== undefined && issuer === undefined,
      'issuer',
      'is needed beside endpoints where openid is among the scopes: identity tokens name it',
    ],
    [
      profile.callbackSignature !== undefined && profile.clientAuthentication === 'none',
      'callbackSignature',
      'must not be asked for where the client has no secret',
    ],
    [account.from === 'inputs' && profile.inputs[account.id] === undefined, 'account', 'must have an input as its id'],
    [
      account.from === 'callback' && profile.keep.fromCallback[account.id] === undefined,
      'account',
      'must have a value kept from the callback as its id',
    ],
    [
      issuer === undefined && endpoints === undefined && mcpUrl === undefined,
      'issuer',
      'is needed, or endpoints, or the mcpUrl of an MCP server',
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
    [grant === 'exchange' && exchange === undefined, 'exchange', 'is needed by the grant exchange'],
    [grant !== 'exchange' && exchange !== undefined, 'exchange', 'is of the grant exchange alone'],
    [grant === 'refresh' && refreshTokens === 'never', 'grant', 'must not be refresh where refresh tokens never come'],
    [grant !== 'refresh' && health.by === 'refresh', 'health', 'must not refresh where there is no refresh token'],
    [
      health.by === 'refresh' && rotation === undefined,
      'rotation',
      'must be said where a health check refreshes: a token that rotates may have one user only',
    ],
    [needsAddress && revocation.url === undefined, 'revocation', `must have a url for the style ${revocation.style}`],
    [
      revocation.style === 'deauthorize' && revocation.reach === 'token',
      'revocation',
      'must have the reach grant for the style deauthorize, which ends all that the account granted',
    ],
    [exchange !== undefined && exchange.url === undefined && endpoints === undefined, 'exchange', 'must have a url'],
  ]
}

/** What fills which gap: the later an address is used, the more is known. */
function addressFindings(profile: Profile): Finding[] {
  const { inputs, keep, endpoints, exchange, refresh, revocation, apiHosts } = profile
  const typed = Object.keys(inputs)
  const atCallback = [...typed, ...Object.keys(keep.fromCallback)]
  const all = [...atCallback, ...Object.keys(keep.fromAnswer)]
  const rules = Object.entries({ ...keep.fromAnswer, ...keep.fromCallback, ...inputs })
  const strangers = (known: string[], ...addresses: Array<string | undefined>) =>
    addresses.flatMap((address = '') => gapsOf(address)).filter((name) => !known.includes(name))
  const unknown = (member: string, names: string[]): Finding => [
    names.length > 0,
    member,
    `must not have the gap {${names[0]}}: nothing is known by then that fills it`,
  ]
  return [
    unknown('mcpUrl', strangers(typed, profile.mcpUrl)),
    unknown('endpoints/authorization', strangers(typed, endpoints?.authorization)),
    unknown('endpoints/token', strangers(atCallback, endpoints?.token)),
    unknown('endpoints', strangers(all, endpoints?.userinfo, endpoints?.jwks)),
    unknown('exchange', strangers(all, exchange?.url)),
    unknown('refresh', strangers(all, refresh.url)),
    unknown('revocation', strangers([...all, 'client_id'], revocation.url)),
    unknown('apiHosts', strangers(all, ...apiHosts)),
    ...rules.map(
      ([name, rule]): Finding => [
        !isSafeRule(rule),
        rule === inputs[name] ? `inputs/${name}` : 'keep',
        `must have a pattern that takes hosts of the provider alone (${name})`,
      ],
    ),
  ]
}

/**
 * What an MCP server offers and how it does OAuth is asked there: a second answer in the file would be the older one. An
 * issuer is none: it says which answer is taken.
 */
function mcpFindings({ mcpUrl, endpoints, tools, apiHosts, inputs, keep }: Profile): Finding[] {
  if (mcpUrl === undefined) return []
  const taken = Object.keys({ ...keep.fromAnswer, ...keep.fromCallback, ...inputs }).find((name) =>
    discoveredNames.has(name),
  )
  return [
    [endpoints !== undefined, 'endpoints', 'must not stand beside mcpUrl: they are discovered'],
    [tools.length > 0, 'tools', 'must not stand beside mcpUrl: the server has its own'],
    [apiHosts.length > 0, 'apiHosts', 'must not stand beside mcpUrl: functions reach that server alone'],
    [taken !== undefined, 'inputs', `must not have the name ${taken}: discovery has a value of that name`],
  ]
}

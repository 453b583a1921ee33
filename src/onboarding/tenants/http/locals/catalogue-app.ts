import type { LinkFormMember } from '../../../domain/catalogue/catalogue-item.ts'
import { offersRevocation, type Profile } from '../../../domain/integration.ts'
import { redirectUriOf } from '../../../domain/mcp/registered-client.ts'
import type { DescribedItem } from '../../flows/browse-catalogue.ts'
import { cardOf } from './catalogue.ts'

export function catalogueAppLocals({ item, tier, profile }: DescribedItem, publicUrl: string) {
  const { registration, callbackRules, sources = [], unverified = [], website } = item.about ?? {}
  const isServer = item.kind === 'mcp'
  const redirectUri = redirectUriOf(publicUrl, item.id)
  return {
    title: item.displayName,
    card: cardOf({ item, tier }),
    id: item.id,
    website,
    isConfigured: item.isConfigured,
    isServer,
    redirectUri,
    isSecure: redirectUri.startsWith('https:'),
    entry: profile && JSON.stringify({ integrations: [entryOf(item)] }, null, 2),
    steps: registration?.steps ?? [],
    traps: [...(registration?.traps ?? []), ...(callbackRules?.note ? [callbackRules.note] : [])],
    console: registration?.console,
    facts: (profile ? factsOf(profile, isServer) : []).map((fact) => ({
      ...fact,
      ...supportOf(fact, sources, unverified),
    })),
    permissions: item.scopes.map(({ name, description }) => ({ name, description })),
    hosts: profile?.requestTool ? profile.apiHosts : [],
    tools: profile?.tools.map(({ name, description }) => ({ name, description })) ?? [],
    sources: sources.map(({ name, url, note, date, isVendor }) => ({ name, url, note, date, isVendor })),
  }
}

const entryOf = ({ id, kind, isConfigured, isLinkable, about }: DescribedItem['item']) => ({
  profile: id,
  ...(!isLinkable && !isConfigured && { acceptListed: true }),
  ...(kind === 'api' && { clientId: '…', clientSecret: '…' }),
  ...(about?.callbackRules.named && { redirectUriName: '…' }),
})

type Source = NonNullable<DescribedItem['item']['about']>['sources'][number]

/** The vendor's own sources come first. */
function supportOf({ member, linkForm }: Fact, sources: readonly Source[], unverified: readonly string[]) {
  if (linkForm === undefined) return { isUnconfirmed: unverified.includes(member), confirmedBy: [], otherwise: [] }
  const confirming = sources.filter(({ confirms = [] }) => confirms.includes(linkForm))
  const ofVendor = confirming.filter(({ isVendor }) => isVendor)
  return {
    isUnconfirmed: sources.length > 0 && confirming.length === 0,
    confirmedBy: [...ofVendor, ...confirming.filter((each) => !ofVendor.includes(each))].map(({ name }) => name),
    otherwise: sources.flatMap(({ name, contradicts = {} }) => {
      const value = contradicts[linkForm]
      return value === undefined ? [] : [{ name, value: value === ',' ? 'comma' : value }]
    }),
  }
}

/** `member` is the name in the provider's file. `isCode` is for addresses. */
type Fact = { title: string; value: string; member: string; linkForm?: LinkFormMember; isCode?: boolean }

const factsOf = (profile: Profile, isServer: boolean): Fact[] => [
  ...(isServer ? serverFacts(profile) : oauthFacts(profile)),
  ...Object.entries(profile.inputs).map(([name, { label, default: given }]) => ({
    title: given === undefined ? 'Users enter' : 'Tenants can set',
    value: given === undefined ? label : `${label}, otherwise ${given}`,
    member: `inputs.${name}`,
  })),
  { title: 'Health check', value: healthOf(profile), member: 'health' },
]

const serverFacts = ({ mcpUrl = '', issuer }: Profile): Fact[] => [
  { title: 'MCP server', value: mcpUrl, member: 'mcpUrl', isCode: true },
  ...(issuer ? [{ title: 'Authorization server', value: issuer, member: 'issuer', isCode: true }] : []),
  { title: 'OAuth settings', value: 'Discovered at the server when the first account is linked', member: 'endpoints' },
]

const oauthFacts = (profile: Profile): Fact[] => [
  ...addressesOf(profile),
  {
    title: 'Client authentication',
    value: authentications[profile.clientAuthentication],
    member: 'clientAuthentication',
    linkForm: 'clientAuthentication',
  },
  { title: 'PKCE', value: profile.pkce === 'S256' ? 'S256' : 'Not sent', member: 'pkce', linkForm: 'pkce' },
  ...scopeFacts(profile),
  ...requestFacts(profile),
  {
    title: 'Refresh tokens',
    value: issuedWhen[profile.refreshTokens],
    member: 'refreshTokens',
    linkForm: 'refreshTokens',
  },
  { title: 'When refreshed', value: rotations[profile.rotation ?? 'unknown'], member: 'rotation' },
  ...endsOf(profile),
  ...(profile.limits ? [{ title: 'Live grants', value: limitWords(profile.limits), member: 'limits' }] : []),
  { title: 'Account', value: accountSources[profile.account.from], member: 'account' },
  {
    title: 'Revocation',
    value: profile.revocation.url ?? (offersRevocation(profile) ? 'Discovered' : 'Not supported'),
    member: 'revocation',
    isCode: profile.revocation.url !== undefined,
  },
]

function scopeFacts({ scopes, optionalScopes, scopesFrom, scopeSeparator }: Profile): Fact[] {
  const value = scopesFrom === 'app' ? 'Set on the app, not requested' : scopes.map(({ name }) => name).join(' ')
  const facts: Fact[] = [{ title: 'Scopes', value, member: 'scopesFrom', linkForm: 'scopes' }]
  if (optionalScopes.length > 0) {
    const onRequest = optionalScopes.map(({ name }) => name).join(' ')
    facts.push({ title: 'Scopes on request', value: onRequest, member: 'optionalScopes' })
  }
  if (scopesFrom === 'request' && scopes.length > 1) {
    const separator = separators[scopeSeparator]
    facts.push({ title: 'Scope separator', value: separator, member: 'scopeSeparator', linkForm: 'scopeSeparator' })
  }
  return facts
}

/** What requests have besides the members of the standard. */
function requestFacts({ authorizationParameters, tokenRequest, refresh }: Profile): Fact[] {
  const asked = parametersIn(authorizationParameters)
  const sent = parametersIn({ ...tokenRequest.extra, ...refresh.extra })
  const facts: Fact[] = []
  if (asked) facts.push({ title: 'Also in the authorization request', value: asked, member: 'authorizationParameters' })
  if (tokenRequest.format === 'json') facts.push({ title: 'Token requests', value: 'JSON', member: 'tokenRequest' })
  if (sent) facts.push({ title: 'Also in token requests', value: sent, member: 'tokenRequest' })
  if (refresh.url) facts.push({ title: 'Refresh address', value: refresh.url, member: 'refresh', isCode: true })
  return facts
}

const parametersIn = (parameters: Record<string, string>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')

const limitWords = ({ liveGrants, per, beyond }: NonNullable<Profile['limits']>): string =>
  `${liveGrants} for each account${per === 'account' ? ', of all OAuth clients' : ''}; ${beyond === 'refused' ? 'more are refused' : 'a new one ends the oldest'}`

function addressesOf({ issuer = '', endpoints }: Profile): Fact[] {
  if (!endpoints) return [{ title: 'Issuer', value: issuer, member: 'issuer', isCode: true }]
  const { authorization, token, userinfo } = endpoints
  return [
    {
      title: 'Authorization address',
      value: authorization,
      member: 'endpoints.authorization',
      linkForm: 'authorization',
      isCode: true,
    },
    { title: 'Token address', value: token, member: 'endpoints.token', linkForm: 'token', isCode: true },
    ...(userinfo ? [{ title: 'User info address', value: userinfo, member: 'endpoints.userinfo', isCode: true }] : []),
  ]
}

const authentications = {
  client_secret_post: 'Secret in the request body (client_secret_post)',
  client_secret_basic: 'Secret in the Authorization header (client_secret_basic)',
  none: 'No secret',
}

const separators = { ' ': 'Space', ',': 'Comma', '+': 'Plus sign' }

const issuedWhen: Record<Profile['refreshTokens'], string> = {
  always: 'Always issued',
  asked: 'Issued because the request asks for offline access',
  app_setting: 'Issued if the app’s settings turn them on',
  approved: 'Issued once the vendor has approved the app',
  never: 'Never issued; access lasts until it is revoked',
}

const rotations = {
  none: 'The refresh token stays valid',
  replaces: 'A new refresh token replaces the old one',
  single_use: 'A new refresh token replaces the old one; using the old one ends access',
  unknown: 'Not known; both are handled',
}

function endsOf({ refreshIdleDays, refreshMaxAgeDays }: Profile): Fact[] {
  const facts: Fact[] = []
  if (refreshIdleDays) {
    facts.push({ title: 'Ends unused', value: afterDays(refreshIdleDays), member: 'refreshIdleDays' })
  }
  if (refreshMaxAgeDays) {
    facts.push({ title: 'Ends by age', value: afterDays(refreshMaxAgeDays), member: 'refreshMaxAgeDays' })
  }
  return facts
}

const afterDays = (days: number): string => (days === 1 ? 'After a day' : `After ${days} days`)

const accountSources: Record<Profile['account']['from'], string> = {
  id_token: 'From the ID token',
  userinfo: 'From the user info address',
  token_response: 'From the token response',
  callback: 'From the callback',
  inputs: 'From what the user enters',
  none: 'Not known, so a reconnect cannot check it',
}

function healthOf({ health, mcpUrl }: Profile): string {
  if (mcpUrl !== undefined) return 'Lists the server’s tools'
  if (health.tool !== undefined) return `Calls ${health.tool}`
  if (health.by === 'refresh') return 'Refreshes the access token'
  return 'Never tested: a revoked access shows when it is used'
}

import { acceptedValue, filledAddress, filledHost, gapsOf, type ValueRule } from './address-template.ts'
import { withDiscovered } from './discovered-server.ts'
import type { Profile } from './profile-shape.ts'
import { withRequestedScopes } from './requested-scopes.ts'

type Values = Readonly<Record<string, string>>

const valueRules = ({ inputs, keep }: Pick<Profile, 'inputs' | 'keep'>): Record<string, ValueRule> => ({
  ...keep.fromAnswer,
  ...keep.fromCallback,
  ...inputs,
})

function acceptedValues(profile: Pick<Profile, 'inputs' | 'keep'>, given: Values): Values {
  const accepted = Object.entries(valueRules(profile)).flatMap(([name, rule]) => {
    const value = acceptedValue(rule, given[name])
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(accepted)
}

type Addresses = Pick<
  Profile,
  | 'inputs'
  | 'keep'
  | 'issuer'
  | 'endpoints'
  | 'scopes'
  | 'optionalScopes'
  | 'account'
  | 'exchange'
  | 'refresh'
  | 'revocation'
  | 'apiHosts'
  | 'gitHosts'
  | 'tools'
  | 'mcpUrl'
> &
  Parameters<typeof withDiscovered>[0]

/** A URL with an unfilled gap is left as is: it is invalid, so nothing is sent there. */
export const filledProfile = <P extends Addresses>(profile: P, given: Values): P =>
  withDiscovered(withoutGaps(withRequestedScopes(profile, given), given), given)

function withoutGaps<P extends Addresses>(profile: P, given: Values): P {
  if (Object.keys(valueRules(profile)).length === 0) return profile
  const values = acceptedValues(profile, given)
  const known = (template: string) => gapsOf(template).every((name) => Object.hasOwn(values, name))
  const at = (template: string) => (known(template) ? filledAddress(template, values) : template)
  const maybe = <O extends { url?: string | undefined }>(of: O): O =>
    of.url === undefined ? of : { ...of, url: at(of.url) }
  const { issuer, endpoints, scopes, optionalScopes, account, exchange } = profile
  const { refresh, revocation, apiHosts, gitHosts, tools, mcpUrl } = profile
  return {
    ...profile,
    ...(issuer !== undefined && { issuer: at(issuer) }),
    endpoints:
      endpoints &&
      (Object.fromEntries(Object.entries(endpoints).map(([name, url]) => [name, url && at(url)])) as typeof endpoints),
    ...(mcpUrl !== undefined && { mcpUrl: at(mcpUrl) }),
    scopes: scopes.map((scope) => ({ ...scope, name: at(scope.name) })),
    optionalScopes: optionalScopes.map((scope) => ({ ...scope, name: at(scope.name) })),
    account: account.proof === undefined ? account : { ...account, proof: at(account.proof) },
    exchange: exchange && maybe(exchange),
    refresh: maybe(refresh),
    revocation: maybe(revocation),
    apiHosts: apiHosts.filter(known).map((host) => filledHost(host, values)),
    gitHosts: gitHosts
      .filter(({ host }) => known(host))
      .map(({ host, ...git }) => ({ ...git, host: filledHost(host, values) })),
    tools: tools.map((tool) => ({ ...tool, request: { ...tool.request, url: withValues(tool.request.url, values) } })),
  }
}

function withValues(url: string, values: Values): string {
  const known = gapsOf(url).filter((name) => Object.hasOwn(values, name))
  return known.reduce((address, name) => {
    const hostEnd = address.indexOf('/', address.indexOf('://') + 3)
    const isInHost = hostEnd === -1 || address.indexOf(`{${name}}`) < hostEnd
    const value = values[name] as string
    return address.replaceAll(`{${name}}`, isInHost ? value : encodeURIComponent(value))
  }, url)
}

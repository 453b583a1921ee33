// A profile whose addresses have no gaps left: what was typed and kept for one connection is filled in.
import { acceptedValue, filledAddress, filledHost, gapsOf, type ValueRule } from './address-template.ts'
import { withDiscovered } from './discovered-server.ts'
import type { Profile } from './profile-shape.ts'

export type Values = Readonly<Record<string, string>>

/** By name: what fills gaps of a profile. */
export const valueRules = ({ inputs, keep }: Pick<Profile, 'inputs' | 'keep'>): Record<string, ValueRule> => ({
  ...keep.fromAnswer,
  ...keep.fromCallback,
  ...inputs,
})

/** Only values that satisfy their rules are filled in. */
export function acceptedValues(profile: Pick<Profile, 'inputs' | 'keep'>, given: Values): Values {
  const accepted = Object.entries(valueRules(profile)).flatMap(([name, rule]) => {
    const value = acceptedValue(rule, given[name])
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(accepted)
}

type Addresses = Pick<
  Profile,
  'inputs' | 'keep' | 'endpoints' | 'exchange' | 'refresh' | 'revocation' | 'apiHosts' | 'tools' | 'mcpUrl'
> &
  Parameters<typeof withDiscovered>[0]

/** An address with a gap that nothing fills stays as it is: it is no address, and nothing can be sent there. */
export const filledProfile = <P extends Addresses>(profile: P, given: Values): P =>
  withDiscovered(withoutGaps(profile, given), given)

function withoutGaps<P extends Addresses>(profile: P, given: Values): P {
  if (Object.keys(valueRules(profile)).length === 0) return profile
  const values = acceptedValues(profile, given)
  const known = (template: string) => gapsOf(template).every((name) => Object.hasOwn(values, name))
  const at = (template: string) => (known(template) ? filledAddress(template, values) : template)
  const maybe = <O extends { url?: string | undefined }>(of: O): O =>
    of.url === undefined ? of : { ...of, url: at(of.url) }
  const { endpoints, exchange, refresh, revocation, apiHosts, tools, mcpUrl } = profile
  return {
    ...profile,
    endpoints:
      endpoints &&
      (Object.fromEntries(Object.entries(endpoints).map(([name, url]) => [name, url && at(url)])) as typeof endpoints),
    ...(mcpUrl !== undefined && { mcpUrl: at(mcpUrl) }),
    exchange: exchange && maybe(exchange),
    refresh: maybe(refresh),
    revocation: maybe(revocation),
    apiHosts: apiHosts.filter(known).map((host) => filledHost(host, values)),
    tools: tools.map((tool) => ({ ...tool, request: { ...tool.request, url: withValues(tool.request.url, values) } })),
  }
}

/** A tool's address also has its arguments, which are filled in later. */
function withValues(url: string, values: Values): string {
  const known = gapsOf(url).filter((name) => Object.hasOwn(values, name))
  return known.reduce((address, name) => {
    const hostEnd = address.indexOf('/', address.indexOf('://') + 3)
    const isInHost = hostEnd === -1 || address.indexOf(`{${name}}`) < hostEnd
    const value = values[name] as string
    return address.replaceAll(`{${name}}`, isInHost ? value : encodeURIComponent(value))
  }, url)
}

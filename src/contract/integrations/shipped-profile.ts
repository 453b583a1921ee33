// Profiles of the catalogue as the programs read them. Their files are held to the schema by a test, so here the defaults
// are filled in and nothing is asked again: hundreds of them are read at start.
import { type Profile, type ProfileInput, ProfileShape } from './profile-shape.ts'
import type { ProviderAbout, RawProduct, RawProvider } from './provider-file.ts'

let usual: Profile | undefined

/** What every profile has that says nothing. */
function usualProfile(): Profile {
  usual ??= ProfileShape.parse({ id: 'usual', displayName: 'usual' })
  return usual
}

const grouped = ['tokenRequest', 'refresh', 'revocation', 'tokenAnswer', 'account', 'api'] as const

/** The same as `Profile.parse(input)` for an input that passes. */
export function shippedProfile(input: ProfileInput): Profile {
  const defaults = usualProfile()
  const groups = grouped.map((name) => [name, { ...defaults[name], ...input[name] }] as const)
  const { keep, inputs, exchange, limits } = input
  return {
    ...defaults,
    ...input,
    ...Object.fromEntries(groups),
    inputs: asLabels(inputs),
    keep: { fromAnswer: asLabels(keep?.fromAnswer), fromCallback: asLabels(keep?.fromCallback) },
    ...(exchange && { exchange: { method: 'POST', extra: {}, ...exchange } }),
    ...(limits && { limits: { per: 'account_and_client', beyond: 'oldest_ends', ...limits } }),
  } as Profile
}

const asLabels = <R extends object>(rules: Record<string, R> = {}) =>
  Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, { as: 'label', ...rule }]))

/** Where a profile is from, for whoever chooses one. */
export function aboutProduct(provider: RawProvider, product: RawProduct): ProviderAbout {
  const { id, displayName, website, tier, asOf, sources, unverified = [], registration, callbackRules = {} } = provider
  const about = { id, displayName, website, tier, asOf, sources, unverified, callbackRules }
  const guide = { steps: [], traps: [], ...(registration as object) }
  const shown = { category: product.category ?? provider.category, icon: product.icon ?? provider.icon }
  return { ...about, ...shown, registration: guide } as ProviderAbout
}

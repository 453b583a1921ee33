// Every product of every provider file, parsed on first use.
import { type Profile, type ProfileInput, ProfileShape } from './profile-shape.ts'
import { type ProviderAbout, profileInput, type RawProduct, type RawProvider } from './provider-file.ts'

type CatalogueFiles = {
  providers: readonly unknown[]
  tools: ReadonlyMap<string, unknown>
}

export type CatalogueEntry = {
  id: string
  /** As written in the file. `tierToday` gives the current tier. */
  tier: string
  /** As written in the file, so that single members can be overridden. */
  input(): ProfileInput
  profile(): Profile
  about(): ProviderAbout
}

export type Catalogue = ReadonlyMap<string, CatalogueEntry>

export function catalogueOf({ providers, tools }: CatalogueFiles): Catalogue {
  const entries = (providers as RawProvider[]).flatMap((provider) =>
    provider.products.map((product) => entryOf(provider, withTools(product, tools))),
  )
  return new Map(entries.map((entry) => [entry.id, entry]))
}

const withTools = (product: RawProduct, tools: CatalogueFiles['tools']): RawProduct =>
  product.tools === undefined && tools.has(product.id) ? { ...product, tools: tools.get(product.id) } : product

function entryOf(provider: RawProvider, product: RawProduct): CatalogueEntry {
  let profile: Profile | undefined
  let about: ProviderAbout | undefined
  const input = () => profileInput(provider, product)
  return {
    id: product.id,
    tier: String(provider.tier),
    input,
    profile() {
      profile ??= shippedProfile(input())
      return profile
    },
    about() {
      about ??= aboutProduct(provider, product)
      return about
    },
  }
}

let usual: Profile | undefined

function usualProfile(): Profile {
  usual ??= ProfileShape.parse({ id: 'usual', displayName: 'usual' })
  return usual
}

const grouped = ['tokenRequest', 'refresh', 'revocation', 'tokenAnswer', 'account', 'api'] as const

/** Like `Profile.parse`, but only adds defaults: hundreds of profiles are read at start. A test checks the files. */
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

function aboutProduct(provider: RawProvider, product: RawProduct): ProviderAbout {
  const {
    id,
    displayName,
    website,
    icon,
    color,
    tier,
    asOf,
    sources,
    unverified = [],
    registration,
    callbackRules = {},
  } = provider
  const about = { id, displayName, website, icon, color, tier, asOf, sources, unverified, callbackRules }
  return {
    ...about,
    category: product.category ?? provider.category,
    registration: joinedGuide(registration as Guide, product.registration as Guide),
  } as ProviderAbout
}

type Guide = { console?: string; steps?: string[]; traps?: string[] } | undefined

const joinedGuide = (ofProvider: Guide, ofProduct: Guide) => ({
  ...ofProvider,
  steps: [...(ofProvider?.steps ?? []), ...(ofProduct?.steps ?? [])],
  traps: [...(ofProvider?.traps ?? []), ...(ofProduct?.traps ?? [])],
})

// The catalogue: every product of every provider file, read when it is first asked for.
import type { Profile, ProfileInput } from './profile-shape.ts'
import { type ProviderAbout, profileInput, type RawProduct, type RawProvider } from './provider-file.ts'
import { aboutProduct, shippedProfile } from './shipped-profile.ts'

export type CatalogueFiles = {
  providers: readonly unknown[]
  /** Tools of a product that are in a file of their own, by the product's id. */
  tools: ReadonlyMap<string, unknown>
}

export type CatalogueEntry = {
  id: string
  /** As it was written; what it is worth depends on the day (`tierToday`). */
  tier: string
  /** As it was written, for whoever changes some of it. */
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

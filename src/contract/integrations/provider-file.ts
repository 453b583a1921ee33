// A provider file of the catalogue: how a third party does OAuth, where that is known from, and its products.
import { z } from 'zod'
import { categories, tiers } from './categories.ts'
import { ApiRules, oauthShape } from './oauth.ts'
import { IntegrationId, productShape } from './product.ts'
import { Profile } from './profile.ts'
import type { ProfileInput } from './profile-shape.ts'

const Source = z.strictObject({
  /** The vendor's page or a public project. */
  name: z.string().min(1).max(200),
  url: z.url({ protocol: /^https?$/ }).optional(),
  /** What it says, or which version of it was read. */
  note: z.string().max(500).optional(),
})

/** How somebody registers an app there. */
const Registration = z.strictObject({
  console: z.url({ protocol: /^https?$/ }).optional(),
  steps: z.array(z.string().min(1).max(500)).default([]),
  traps: z.array(z.string().min(1).max(500)).default([]),
})

/** What the provider asks of redirect URIs: what the doctor checks, and words of the guide. */
const CallbackRules = z.strictObject({
  onePerApp: z.boolean().optional(),
  httpsOnly: z.boolean().optional(),
  note: z.string().max(500).optional(),
})

const aboutShape = {
  id: IntegrationId,
  displayName: z.string().min(1).max(63),
  category: z.enum(categories),
  website: z.url({ protocol: /^https$/ }).optional(),
  /** Its name in simple-icons. */
  icon: z
    .string()
    .regex(/^[a-z0-9]+$/)
    .optional(),
  tier: z.enum(tiers),
  /** The day on which its facts were read. */
  asOf: z.iso.date(),
  sources: z.array(Source).min(1),
  /** Members of this file that no source confirms, as dotted paths. */
  unverified: z.array(z.string()).default([]),
  registration: Registration.prefault({}),
  callbackRules: CallbackRules.default({}),
}

/** A product may be in another category, has its own scopes, and may add to what is said of every API request. */
const Product = z.strictObject({
  ...productShape,
  category: z.enum(categories).optional(),
  icon: aboutShape.icon,
  api: ApiRules.partial().optional(),
})

export const About = z.object(aboutShape)
export type ProviderAbout = z.output<typeof About>

const Shape = z.strictObject({ ...aboutShape, ...oauthShape, products: z.array(Product).min(1) })
export type ProviderFile = z.output<typeof Shape>

/** For the test of the data files; the programs read profiles one by one, when they are first asked for. */
export const ProviderFile = Shape.check(({ value, issues }) => {
  const ids = value.products.map(({ id }) => id)
  if (new Set(ids).size < ids.length)
    issues.push({ code: 'custom', input: value, path: ['products'], message: 'must have each id once' })
  for (const [at, product] of value.products.entries()) {
    for (const issue of Profile.safeParse(profileInput(value, product)).error?.issues ?? [])
      issues.push({ code: 'custom', input: value, path: ['products', at, ...issue.path], message: issue.message })
  }
})

/** The file as it was read: checked by a test where it is shipped, by its profiles where it is used. */
export type RawProvider = Record<string, unknown> & { id: string; products: RawProduct[] }
export type RawProduct = Record<string, unknown> & { id: string }

const notOfProfile = new Set([...Object.keys(aboutShape), 'products'])
const notOfProduct = new Set(['category', 'icon', 'api'])

/** One product with all that its provider says. */
export function profileInput(provider: RawProvider, product: RawProduct): ProfileInput {
  const ofProvider = Object.entries(provider).filter(([name]) => !notOfProfile.has(name))
  const ofProduct = Object.entries(product).filter(([name]) => !notOfProduct.has(name))
  const api = { ...(provider.api as object), ...(product.api as object) }
  return { ...Object.fromEntries(ofProvider), ...Object.fromEntries(ofProduct), api } as ProfileInput
}

import { z } from 'zod'
import { categories, tiers } from './categories.ts'
import { linkFormMembers } from './link-form.ts'
import { ApiRules, oauthShape } from './oauth.ts'
import { Color, Icon, IntegrationId, productShape } from './product.ts'
import { Profile } from './profile.ts'
import type { ProfileInput } from './profile-shape.ts'

const LinkFormMember = z.enum(linkFormMembers)

const Source = z
  .strictObject({
    name: z.string().min(1).max(200),
    url: z.url({ protocol: /^https?$/ }).optional(),
    note: z.string().max(500).optional(),
    /** For a repository: the last change of the file with these facts. For a page: when it was read or published. */
    date: z.iso.date().optional(),
    /** Published by the vendor: its documentation, OpenAPI document, SDK or metadata. */
    isVendor: z.literal(true).optional(),
    /** The members of the link form that have the same value in this source. */
    confirms: z.array(LinkFormMember).min(1).optional(),
    /** The members with another value in this source. */
    contradicts: z.partialRecord(LinkFormMember, z.string().min(1).max(300)).optional(),
  })
  .refine(
    ({ confirms, date }) => confirms === undefined || date !== undefined,
    'must have the date of what it confirms',
  )

const guideShape = {
  steps: z.array(z.string().min(1).max(500)).default([]),
  traps: z.array(z.string().min(1).max(500)).default([]),
}

const Registration = z.strictObject({ console: z.url({ protocol: /^https?$/ }).optional(), ...guideShape })

/** Constraints on redirect URIs. The doctor checks them and the guide shows them. */
const CallbackRules = z.strictObject({
  onePerApp: z.boolean().optional(),
  httpsOnly: z.boolean().optional(),
  /** The app gives the redirect URI a name, which each entry has to state as `redirectUriName`. */
  named: z.boolean().optional(),
  note: z.string().max(500).optional(),
})

const aboutShape = {
  id: IntegrationId,
  displayName: z.string().min(1).max(63),
  category: z.enum(categories),
  website: z.url({ protocol: /^https$/ }).optional(),
  icon: Icon.optional(),
  color: Color.optional(),
  tier: z.enum(tiers),
  asOf: z.iso.date(),
  sources: z.array(Source).min(1),
  /** Dotted paths of members outside of the link form that no source confirms. */
  unverified: z.array(z.string()).default([]),
  registration: Registration.prefault({}),
  callbackRules: CallbackRules.default({}),
}

const Product = z.strictObject({
  ...productShape,
  category: z.enum(categories).optional(),
  api: ApiRules.partial().optional(),
  /** Override those of the provider, for products whose tokens differ. */
  account: oauthShape.account.unwrap().optional(),
  tokenAnswer: oauthShape.tokenAnswer.unwrap().optional(),
  /** Added to those of the provider. */
  registration: z.strictObject(guideShape).optional(),
})

export const About = z.object(aboutShape)
export type ProviderAbout = z.output<typeof About>

const Shape = z.strictObject({ ...aboutShape, ...oauthShape, products: z.array(Product).min(1) })
export type ProviderFile = z.output<typeof Shape>

/** Used by the test of the data files. The programs parse profiles one by one on first use. */
export const ProviderFile = Shape.check(({ value, issues }) => {
  const ids = value.products.map(({ id }) => id)
  if (new Set(ids).size < ids.length)
    issues.push({ code: 'custom', input: value, path: ['products'], message: 'must not repeat an ID' })
  for (const [at, product] of value.products.entries()) {
    for (const issue of Profile.safeParse(profileInput(value, product)).error?.issues ?? [])
      issues.push({ code: 'custom', input: value, path: ['products', at, ...issue.path], message: issue.message })
  }
})

/** A test checks the shipped files; each profile is checked on use. */
export type RawProvider = Record<string, unknown> & { id: string; products: RawProduct[] }
export type RawProduct = Record<string, unknown> & { id: string }

const notOfProfile = new Set([...Object.keys(aboutShape), 'products'])
const notOfProduct = new Set(['category', 'api', 'registration'])

export function profileInput(provider: RawProvider, product: RawProduct): ProfileInput {
  const ofProvider = Object.entries(provider).filter(([name]) => !notOfProfile.has(name))
  const ofProduct = Object.entries(product).filter(([name]) => !notOfProduct.has(name))
  const api = { ...(provider.api as object), ...(product.api as object) }
  return { ...Object.fromEntries(ofProvider), ...Object.fromEntries(ofProduct), api } as ProfileInput
}

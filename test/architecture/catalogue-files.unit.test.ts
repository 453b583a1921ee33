// Checks the data files of the catalogue against their schemas and against each other.
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { tiers } from '../../src/contract/integrations/categories.ts'
import {
  earnedTier,
  type LinkFormMember,
  type LinkFormSource,
  linkFormMembers,
  unsourcedMembers,
} from '../../src/contract/integrations/link-form.ts'
import { Profile } from '../../src/contract/integrations/profile.ts'
import { About, ProviderFile } from '../../src/contract/integrations/provider-file.ts'
import { Tool } from '../../src/contract/integrations/tool.ts'
import { readJsonFolder } from '../../src/kit/installed/json-folder.ts'
import { appIcon } from '../../src/onboarding/domain/catalogue/app-icon.ts'
import { shippedCatalogue } from '../../src/onboarding/integrations/catalogue.ts'

const providers = [...readJsonFolder('catalogue/providers')]
const tools = [...readJsonFolder('catalogue/tools')]
const entries = [...shippedCatalogue().values()]

const problems = (schema: z.ZodType, files: Array<[string, unknown]>) =>
  files.flatMap(([name, file]) => {
    const { error } = schema.safeParse(file)
    return error ? [`${name}: ${z.prettifyError(error)}`] : []
  })

test('provider files match their schema', () => {
  expect(problems(ProviderFile, providers)).toEqual([])
})

test('provider files are named after their ID', () => {
  expect(providers.filter(([name, file]) => (file as Written).id !== name).map(([name]) => name)).toEqual([])
})

test('tool files match their schema', () => {
  expect(problems(z.array(Tool), tools)).toEqual([])
})

test('tool files are named after a product', () => {
  const ids = new Set(entries.map(({ id }) => id))

  expect(tools.map(([name]) => name).filter((name) => !ids.has(name))).toEqual([])
})

test('product IDs are unique', () => {
  const ids = providers.flatMap(([, file]) =>
    (file as { products: Array<{ id: string }> }).products.map(({ id }) => id),
  )

  expect(ids.filter((id, at) => ids.indexOf(id) < at)).toEqual([])
})

test('products are read as the profile schema parses them', () => {
  const read = Object.fromEntries(entries.map((entry) => [entry.id, entry.profile()]))

  expect(read).toEqual(Object.fromEntries(entries.map((entry) => [entry.id, Profile.parse(entry.input())])))
  expect(
    problems(
      About,
      entries.map((entry) => [entry.id, entry.about()]),
    ),
  ).toEqual([])
})

test('the tool of a health check exists', () => {
  const missing = entries.filter((entry) => {
    const { health, tools } = entry.profile()
    return health.tool !== undefined && !tools.some(({ name }) => name === health.tool)
  })

  expect(missing.map(({ id }) => id)).toEqual([])
})

type Source = LinkFormSource & {
  name: string
  url?: string
  contradicts?: Partial<Record<LinkFormMember, string>>
}
type Written = Omit<Parameters<typeof earnedTier>[0], 'sources'> & {
  id: string
  tier: string
  website?: string
  endpoints?: Record<string, string>
  sources: Source[]
}

/** Sites and GitHub organizations that do not have the vendor's name. */
const publishers: Record<string, string> = {
  amazon: 'github.com/amzn',
  'amazon-selling-partner': 'github.com/amzn',
  arcgis: 'github.com/esri',
  bitbucket: 'atlassian.com',
  databricks: 'databrickslabs.github.io',
  'dynamics-365': 'github.com/microsoft',
  'eve-online': 'github.com/esi',
  google: 'github.com/googleapis',
  instagram: 'developers.facebook.com',
  linkedin: 'learn.microsoft.com',
  mailru: 'id.vk.com',
  musicbrainz: 'github.com/metabrainz',
  netsuite: 'docs.oracle.com',
  osu: 'github.com/ppy',
  polar: 'www.mintlify.com/polarsource',
  quickbooks: 'github.com/intuit',
  salesforce: 'github.com/forcedotcom',
  todoist: 'doist',
}

const siteOf = (address: string) => new URL(address.replaceAll(/[{}]/g, '')).hostname.split('.').slice(-2).join('.')

function isVendors(address: string, { id, website, endpoints = {} }: Written): boolean {
  const { hostname, pathname } = new URL(address)
  const organization = hostname === 'github.com' ? pathname.split('/')[1] : undefined
  const sites = [...Object.values(endpoints), ...(website ? [website] : [])].map(siteOf)
  return (
    sites.includes(siteOf(address)) ||
    hostname.split('.').includes(id) ||
    organization?.toLowerCase().includes(id.replaceAll('-', '')) === true ||
    `${hostname}${pathname}`.toLowerCase().includes(publishers[id] ?? ' ')
  )
}

test('T5: an account from a callback is signed or proven', () => {
  const written = providers.map(([name, file]) => ({ name, ...(file as Partial<Profile>) }))
  const open = written.filter(
    ({ account, callbackSignature }) => account?.from === 'callback' && !callbackSignature && !account.proof,
  )

  expect(open.map(({ name }) => name)).toEqual([])
})

/** MCP servers are discovered, so their files have no link form. */
const withLinkForm = providers.map(([, file]) => file as Written).filter(({ endpoints }) => endpoints !== undefined)
const linkable = withLinkForm.filter(({ tier }) => tier !== 'listed')
const rank = (tier: string) => (tiers as readonly string[]).indexOf(tier)

test('a linkable provider has a source for each member of its link form', () => {
  const offenders = linkable.flatMap((file) => unsourcedMembers(file).map((member) => `${file.id}: ${member}`))

  expect(offenders).toEqual([])
})

test('no provider has a better tier than its sources earn', () => {
  const offenders = withLinkForm.filter((file) => rank(file.tier) < rank(earnedTier(file)))

  expect(offenders.map((file) => `${file.id}: ${file.tier}, earns ${earnedTier(file)}`)).toEqual([])
})

test('no page of a vendor contradicts a linkable provider', () => {
  const offenders = linkable.flatMap(({ id, sources }) =>
    sources.flatMap(({ name, isVendor, contradicts = {} }) =>
      isVendor ? Object.keys(contradicts).map((member) => `${id}: ${member}, by ${name}`) : [],
    ),
  )

  expect(offenders).toEqual([])
})

test('a source does not contradict what it confirms', () => {
  const offenders = withLinkForm.flatMap(({ id, sources }) =>
    sources.flatMap(({ name, confirms = [], contradicts = {} }) =>
      confirms.filter((member) => member in contradicts).map((member) => `${id}: ${member}, by ${name}`),
    ),
  )

  expect(offenders).toEqual([])
})

test('the sources of a vendor are on sites of the vendor', () => {
  const offenders = withLinkForm.flatMap((file) =>
    file.sources.flatMap(({ url, isVendor }) =>
      isVendor && !isVendors(url ?? '', file) ? [`${file.id}: ${url}`] : [],
    ),
  )

  expect(offenders).toEqual([])
})

test('unverified members are outside of the link form', () => {
  const names = [...linkFormMembers, 'scopesFrom', 'endpoints.authorization', 'endpoints.token'] as string[]
  const offenders = providers.flatMap(([id, file]) =>
    ((file as { unverified?: string[] }).unverified ?? [])
      .filter((name) => names.includes(name))
      .map((name) => `${id}: ${name}`),
  )

  expect(offenders).toEqual([])
})

test('the logos of providers and products are shipped', () => {
  const shown = entries.map((entry) => appIcon({ ...entry.profile(), about: entry.about() }))
  const pictures = shown.flatMap((icon) => ('src' in icon && !icon.src.startsWith('data:') ? icon.src : []))
  const files = pictures.map((src) => src.replace('/assets', 'public'))

  expect(files.length).toBeGreaterThan(200)
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

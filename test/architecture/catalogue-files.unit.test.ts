// Checks the data files of the catalogue against their schemas and against each other.
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
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

type Written = {
  id: string
  tier: string
  website?: string
  endpoints?: Record<string, string>
  sources: Array<{ url?: string; note?: string }>
}
const inTier = (wanted: string) => providers.map(([, file]) => file as Written).filter(({ tier }) => tier === wanted)

/** Vendors that publish under a domain that is neither their app's nor their servers'. */
const publishers: Record<string, string> = {
  todoist: 'doist.github.io',
  bitbucket: 'support.atlassian.com',
  linkedin: 'learn.microsoft.com',
}

const siteOf = (address: string) => new URL(address.replaceAll(/[{}]/g, '')).hostname.split('.').slice(-2).join('.')

function isVendors(address: string, { id, website, endpoints = {} }: Written): boolean {
  const { hostname } = new URL(address)
  const sites = [...Object.values(endpoints), ...(website ? [website] : [])].map(siteOf)
  return sites.includes(siteOf(address)) || hostname.split('.').includes(id) || hostname === publishers[id]
}

test('T5: an account from a callback is signed or proven', () => {
  const written = providers.map(([name, file]) => ({ name, ...(file as Partial<Profile>) }))
  const open = written.filter(
    ({ account, callbackSignature }) => account?.from === 'callback' && !callbackSignature && !account.proof,
  )

  expect(open.map(({ name }) => name)).toEqual([])
})

test('verified providers cite a page of the vendor', () => {
  const without = inTier('verified').filter((file) => !file.sources.some(({ url }) => url && isVendors(url, file)))

  expect(without.map(({ id }) => id)).toEqual([])
})

test('corroborated providers cite two sources with both addresses', () => {
  const citing = ({ sources }: Written) => sources.filter(({ note = '' }) => note.includes('both addresses'))

  expect(
    inTier('corroborated')
      .filter((file) => citing(file).length < 2)
      .map(({ id }) => id),
  ).toEqual([])
})

test('the logos that providers and products name are shipped', () => {
  const shown = entries.map((entry) => appIcon({ ...entry.profile(), about: entry.about() }))
  const files = shown.flatMap((icon) => ('src' in icon ? icon.src.replace('/assets', 'public') : []))

  expect(files.length).toBeGreaterThan(200)
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

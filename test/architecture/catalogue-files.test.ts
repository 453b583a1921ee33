// Every data file of the catalogue, held to its schema and against the others.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Profile } from '../../src/contract/integrations/profile.ts'
import { About, ProviderFile } from '../../src/contract/integrations/provider-file.ts'
import { Tool } from '../../src/contract/integrations/tool.ts'
import { readJsonFolder } from '../../src/kit/installed/json-folder.ts'
import { shippedCatalogue } from '../../src/onboarding/integrations/catalogue.ts'

const providers = [...readJsonFolder('catalogue/providers')]
const tools = [...readJsonFolder('catalogue/tools')]
const entries = [...shippedCatalogue().values()]

test.each(providers)('catalogue/providers/%s.json is as its schema says, and has its id as its name', (name, file) => {
  const { error, data } = ProviderFile.safeParse(file)

  expect(error && z.prettifyError(error)).toBeUndefined()
  expect(data?.id).toBe(name)
})

test.each(tools)('catalogue/tools/%s.json is as its schema says, and belongs to a product', (name, file) => {
  const { error } = z.array(Tool).safeParse(file)

  expect(error && z.prettifyError(error)).toBeUndefined()
  expect(entries.map(({ id }) => id)).toContain(name)
})

test('no two products have one id', () => {
  const ids = providers.flatMap(([, file]) =>
    (file as { products: Array<{ id: string }> }).products.map(({ id }) => id),
  )

  expect(ids.filter((id, at) => ids.indexOf(id) < at)).toEqual([])
})

describe.each(entries.map((entry) => [entry.id, entry] as const))('the product %s', (_id, entry) => {
  test('can be linked as it is written, and is read as its schema says', () => {
    expect(entry.profile()).toEqual(Profile.parse(entry.input()))
    expect(About.safeParse(entry.about()).error).toBeUndefined()
  })

  test('has the tool that checks its health', () => {
    const { health, tools } = entry.profile()

    expect(health.tool === undefined || tools.some(({ name }) => name === health.tool)).toBe(true)
  })
})

type Written = {
  id: string
  tier: string
  website?: string
  endpoints?: Record<string, string>
  sources: Array<{ url?: string; note?: string }>
}
const written = providers.map(([name, file]) => [name, file as Written] as const)

/** Vendors that publish under a name that is neither that of their app nor of their servers. */
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

test.each(written.filter(([, { tier }]) => tier === 'verified'))(
  '%s is verified, so a page of the vendor itself is among its sources',
  (_name, file) => {
    expect(file.sources.some(({ url }) => url && isVendors(url, file))).toBe(true)
  },
)

test.each(written.filter(([, { tier }]) => tier === 'corroborated'))(
  '%s is corroborated, so two sources have both addresses',
  (_name, { sources }) => {
    expect(sources.filter(({ note = '' }) => note.includes('both addresses')).length).toBeGreaterThanOrEqual(2)
  },
)

test('every mark that a file names is shipped', () => {
  const icons = readJsonFolder('catalogue/icons').get('simple-icons') as Record<string, string>
  const named = entries.flatMap((entry) => entry.about().icon ?? [])

  expect(named.filter((icon) => !/^[\w\s.,-]+$/.test(icons[icon] ?? ''))).toEqual([])
})

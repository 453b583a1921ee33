// Every data file of the catalogue, held to its schema and against the others.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Tool } from '../../src/contract/integrations/product.ts'
import { Profile } from '../../src/contract/integrations/profile.ts'
import { About, ProviderFile } from '../../src/contract/integrations/provider-file.ts'
import { readJsonFolder } from '../../src/kit/process/json-folder.ts'
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

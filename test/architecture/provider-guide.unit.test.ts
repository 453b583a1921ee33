// The provider files of the guide match the schema and can be linked.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { catalogueOf } from '../../src/contract/integrations/catalogue.ts'
import { ProviderFile, type RawProvider } from '../../src/contract/integrations/provider-file.ts'

const guide = readFileSync('docs/guides/add-a-provider.md', 'utf8')
const files = [...guide.matchAll(/```json\n([\s\S]+?)```/g)].map(([, text = '']) => JSON.parse(text) as RawProvider)

test('the guide shows three providers', () => {
  expect(files.map(({ id }) => id)).toEqual(['paperboat', 'tallyho', 'lanternfish'])
})

test.each(files.map((file) => [file.id, file] as const))('%s needs one file and no code', (id, file) => {
  const { error } = ProviderFile.safeParse(file)
  const entry = catalogueOf({ providers: [file], tools: new Map() }).get(id)

  expect(error && z.prettifyError(error)).toBeUndefined()
  expect(entry?.profile().displayName).toBe(file.displayName)
})

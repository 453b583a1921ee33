// O2: an integration is written once, and what the guide shows is read here as both programs read it.
import { expect, test } from 'vitest'
import { readIntegrations as linkingFile } from '../../src/onboarding/integrations/integrations-file.ts'
import { readIntegrations as platformFile } from '../../src/platform/gateway/integrations/catalogue.ts'
import { readDocument } from './documents.ts'

const blocks = [...readDocument('docs/guides/add-an-integration.md').matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text = '']) => JSON.parse(text),
)
const files = blocks.filter((block) => block.integrations !== undefined)

test.each(files.map((file, at) => [at + 1, file] as const))(
  'O2: file %i of the guide is read by both programs',
  (_, file) => {
    const linking = linkingFile().parse(file)
    const platform = platformFile().parse(file)

    expect(platform.map(({ id }) => id)).toEqual(linking.map(({ profile }) => profile.id))
  },
)

test('the guide shows a provider of a deployment’s own with tools', () => {
  const tools = files.flatMap((file) => platformFile().parse(file)).filter(({ tools }) => tools.length > 0)

  expect(tools.length).toBeGreaterThan(0)
})

// O2: a custom integration has two halves, in two files of two programs. The guide shows both, and both are read here.
import { expect, test } from 'vitest'
import { IntegrationsFile as LinkingFile } from '../../src/onboarding/integrations/integrations-file.ts'
import { IntegrationsFile as PlatformFile } from '../../src/platform/gateway/domain/integration.ts'
import { readDocument } from './documents.ts'

const blocks = [...readDocument('docs/guides/add-an-integration.md').matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text = '']) => JSON.parse(text),
)

test('O2: what the guide shows for a provider is accepted by both programs, under one name', () => {
  const half = blocks.find((block) => block.id !== undefined)
  const other = blocks.find((block) => block.integrations !== undefined)

  const [linking] = LinkingFile.parse({ integrations: [half] })
  const [platform] = PlatformFile.parse(other).integrations

  expect(linking?.profile.id).toBe(platform?.name)
  expect(platform?.tools.length).toBeGreaterThan(0)
})

// O2: both programs read the examples of the guide.
import { describe, expect, test } from 'vitest'
import { readIntegrations as linkingFile } from '../../src/onboarding/integrations/integrations-file.ts'
import { readIntegrations as platformFile } from '../../src/platform/gateway/integrations/catalogue.ts'
import { readDocument } from './documents.ts'

const blocks = [...readDocument('docs/guides/add-an-integration.md').matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text = '']) => JSON.parse(text),
)
const files = blocks.filter((block) => block.integrations !== undefined)

test.each(files.map((file, at) => [at + 1, file] as const))(
  'O2: both programs accept file %i of the guide',
  (_, file) => {
    const linking = linkingFile().parse(file)
    const platform = platformFile().parse(file)

    expect(platform.map(({ id }) => id)).toEqual(linking.map(({ profile }) => profile.id))
  },
)

test('the guide shows a custom provider with tools', () => {
  const tools = files.flatMap((file) => platformFile().parse(file)).filter(({ tools }) => tools.length > 0)

  expect(tools.length).toBeGreaterThan(0)
})

describe('the example without discovery', () => {
  const plain = files.find((file) => file.integrations[0].id === 'tasklane')

  test('is the second example, and complete', () => {
    const own = files.filter((file) => file.integrations[0].profile === undefined)
    const [integration] = platformFile().parse(plain)

    expect(own.indexOf(plain)).toBe(1)
    expect(integration).toMatchObject({
      endpoints: { token: 'https://tasklane.example/oauth/token' },
      clientAuthentication: 'client_secret_basic',
      rotation: 'replaces',
      tools: [{ name: 'list_tasks' }],
    })
    expect(integration).not.toHaveProperty('issuer')
  })

  test('needs an account setting, because there is no ID token', () => {
    const { account, ...rest } = plain.integrations[0]

    const read = linkingFile().safeParse({ integrations: [rest] })

    expect(account.from).toBe('userinfo')
    expect(read.error?.issues.map(({ message }) => message)).toEqual([
      'must include openid, or account.from must name another source',
    ])
  })
})

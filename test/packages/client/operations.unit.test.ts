import { expect, test } from 'vitest'
import { createCauseway, List, type ListOperation } from '../../../packages/client/src/client.ts'
import { describedApi } from '../../../src/onboarding/app.ts'

type Resources = Record<string, Record<string, (...given: unknown[]) => Promise<unknown> | List<ListOperation>>>

const { routes } = describedApi('https://connect.example.com')

test.each(routes)('$client sends $method $path', async ({ client, method, path }) => {
  const called: string[] = []
  const causeway = createCauseway({
    url: 'https://connect.example.com',
    apiKey: 'cwk_test',
    fetch: async (address, init) => {
      called.push(`${init?.method?.toLowerCase()} ${new URL(String(address)).pathname.replace('/api/v1', '')}`)
      return Response.json({ data: [] })
    },
  })
  const [resource = '', name = ''] = client.split('.')
  const params = [...path.matchAll(/\{\w+\}/g)].map(() => 'x')

  const result = (causeway as unknown as Resources)[resource]?.[name]?.(...params, {})
  await (result instanceof List ? result.toArray() : result)

  expect(called).toEqual([`${method} ${path.replaceAll(/\{\w+\}/g, 'x')}`])
})

// The samples of the API reference, run: each calls the operation that it stands with.
import { expect, test } from 'vitest'
import { createCauseway } from '../../../packages/client/src/client.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
import { referenceDocument } from '../../../src/onboarding/http/openapi/reference-document.ts'

type Operation = { operationId: string; 'x-codeSamples': Array<{ lang: string; label: string; source: string }> }

const document = referenceDocument(openApiDocument(describedApi('https://connect.example.com')), '/api/v1')
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, ...(operation as unknown as Operation) })),
)

test.each(operations)('$operationId', async ({ method, path, 'x-codeSamples': samples }) => {
  const called: string[] = []
  const causeway = createCauseway({
    url: 'https://connect.example.com',
    apiKey: 'cwk_test',
    fetch: async (address, init) => {
      called.push(`${init?.method?.toLowerCase()} ${new URL(String(address)).pathname.replace('/api/v1', '')}`)
      return Response.json({ id: 'an', data: [], status: 'done' })
    },
  })
  const given = { query: 'connect_session_id=ses_1&completion_code=c', state: 'cws1.ses_1.v', console: { log() {} } }

  for (const { source } of samples) await run(source, { causeway, ...given })

  expect(samples.map(({ label }) => label)).toEqual(['@causeway/client'])
  expect(called).toHaveLength(1)
  expect(called[0]).toMatch(new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))
})

test('an operation that a later release adds is called by its id', async () => {
  const { clientSample } = await import('../../../src/onboarding/http/openapi/client-samples.ts')

  expect(clientSample('newOperation', ['tenantId'], { reason: "it's new" })).toBe(
    "console.log(await causeway.send('newOperation', {\n  params: {\n    tenantId: 'acme',\n  },\n  body: {\n    reason: 'it\\'s new',\n  },\n}))",
  )
})

/** As the body of an async function, with what the text around a sample has said before. */
async function run(source: string, given: Record<string, unknown>) {
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>
  await new AsyncFunction(...Object.keys(given), `{\n${source}\n}`)(...Object.values(given))
}

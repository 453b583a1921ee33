// The samples of the API reference, compiled and run: each calls the operation that it stands with.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCauseway } from '../../../packages/client/src/client.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
import { referenceDocument } from '../../../src/onboarding/http/openapi/reference-document.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { root } from '../packed-packages.ts'

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
  expect(samples.map(({ source }) => source)).not.toContainEqual(expect.stringContaining('causeway.send('))
  const itself = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  expect([...new Set(called)]).toEqual([expect.stringMatching(itself)])
})

test('the types of the client accept every one of them', () => {
  const bodies = operations.map(
    ({ operationId, 'x-codeSamples': samples }) =>
      `export async function ${operationId}() {\n${samples.map(({ source }) => source).join('\n')}\n}`,
  )

  expect(compiled(bodies.join('\n'))).toBe('')
})

test.each([
  ['createConnectSession', ['connect.begin']],
  ['createRelinkSession', ['connect.beginRelink', 'connections.createRelinkSession']],
  ['completeConnectSession', ['connect.finish']],
])('%s shows %j', (wanted, calls) => {
  const shown = operations.find(({ operationId }) => operationId === wanted)?.['x-codeSamples'][0]?.source

  expect([...(shown ?? '').matchAll(/await causeway\.([\w.]+)/g)].map(([, call]) => call)).toEqual(calls)
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

/** What the compiler says of a program around them. */
function compiled(functions: string): string {
  const folder = temporaryFolder()
  const given = `import { createCauseway } from '@causeway/client'
declare const [query, state]: [string, string]
const causeway = createCauseway({ url: 'https://connect.example.com', apiKey: 'cwk_test' })`
  writeFileSync(join(folder, 'samples.mts'), `${given}\n${functions}`)
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
    include: ['samples.mts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout
}

// Compiles and runs the samples of the API reference.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCauseway } from '../../../packages/client/src/client.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { referenceDocument } from '../../../src/onboarding/http/openapi/docs.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { root } from '../packed-packages.ts'

type Operation = { operationId: string; 'x-codeSamples': Array<{ lang: string; label: string; source: string }> }

const api = describedApi('https://connect.example.com')
const document = referenceDocument(openApiDocument(api), api.routes, '/api/v1')
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
  const itself = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  expect([...new Set(called)]).toEqual([expect.stringMatching(itself)])
})

test('all samples compile', () => {
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

/** Wraps a sample in an async function that declares its variables. */
async function run(source: string, given: Record<string, unknown>) {
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>
  await new AsyncFunction(...Object.keys(given), `{\n${source}\n}`)(...Object.values(given))
}

/** Returns the compiler's output. */
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

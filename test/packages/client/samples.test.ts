// Compiles and runs the samples of the API reference.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCauseway } from '../../../packages/client/src/client.ts'
import { describedApi } from '../../../src/onboarding/app.ts'
import { codeSamples } from '../../../src/onboarding/http/openapi/code-samples.ts'
import { openApiDocument } from '../../../src/onboarding/http/openapi/openapi.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { root } from '../packed-packages.ts'

type Operation = { requestBody?: { content: { 'application/json': { example?: unknown } } } }

const api = describedApi('https://connect.example.com')
const document = openApiDocument(api)
const operations = api.routes.map((route) => {
  const operation = document.paths[route.path]?.[route.method] as Operation | undefined
  const example = operation?.requestBody?.content['application/json'].example
  const [client, , curl] = codeSamples(route, example).map(({ code }) => code)
  return { ...route, example, client: client ?? '', curl: curl ?? '' }
})

test.each(operations)('$operationId', async ({ method, path, client }) => {
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

  await run(client, { causeway, ...given })

  const itself = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  expect([...new Set(called)]).toEqual([expect.stringMatching(itself)])
})

test('all samples compile', () => {
  const bodies = operations.map(({ operationId, client }) => `export async function ${operationId}() {\n${client}\n}`)

  expect(compiled(bodies.join('\n'))).toBe('')
})

test.each([
  ['createConnectSession', ['connect.begin']],
  ['createRelinkSession', ['connect.beginRelink', 'connections.createRelinkSession']],
  ['completeConnectSession', ['connect.finish']],
])('%s shows %j', (wanted, calls) => {
  const shown = operations.find(({ operationId }) => operationId === wanted)?.client

  expect([...(shown ?? '').matchAll(/await causeway\.([\w.]+)/g)].map(([, call]) => call)).toEqual(calls)
})

test('each curl command sends the documented request', () => {
  // Prints the arguments of each call, separated by NUL, as one line.
  const double = `curl() { printf '%s\\0' "$@" | base64 | tr -d '\\n'; echo; }\n`
  const env = { ...process.env, CAUSEWAY_URL: 'https://connect.example.com', CAUSEWAY_API_KEY: 'cwk_test' }
  const input = double + operations.map(({ curl }) => curl).join('\n')

  const { stdout, stderr } = spawnSync('bash', ['-'], { input, env, encoding: 'utf8' })

  expect(stderr).toBe('')
  const calls = stdout
    .trim()
    .split('\n')
    .map((line) => Buffer.from(line, 'base64').toString().split('\0'))
  for (const [at, { method, path, example }] of operations.entries()) {
    const call = calls[at] ?? []
    const after = (option: string) => call[call.indexOf(option) + 1] ?? ''
    const address = call.find((value) => value.startsWith('https://connect.example.com/api/v1/')) ?? ''
    expect(call.includes('-X') ? after('-X').toLowerCase() : 'get').toBe(method)
    expect(new URL(address).pathname).toMatch(new RegExp(`^/api/v1${path.replaceAll(/\{\w+\}/g, '[^/{}]+')}$`))
    expect(call).toContain('Authorization: Bearer cwk_test')
    expect(call.includes('-d') ? JSON.parse(after('-d')) : undefined).toEqual(example)
  }
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

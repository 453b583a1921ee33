// Runs the tests of the Python client, with the journeys against the real program.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findMypy, findPython } from '../../scripts/set-up/steps.mjs'
import { readVersion } from '../../src/kit/installed/installed-root.ts'
import { describedApi } from '../../src/onboarding/app.ts'
import { codeSamples } from '../../src/onboarding/http/openapi/code-samples.ts'
import { openApiDocument } from '../../src/onboarding/http/openapi/openapi.ts'
import { deliverWebhooks } from '../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { startReceiver } from '../support/doubles/webhook-receiver.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'
import { root } from './packed-packages.ts'

const python = findPython()
const mypy = findMypy()
const folder = join(root, 'packages/python')

const installed = `
import importlib.metadata, json, os, causeway
about = importlib.metadata.metadata("causeway")
folder = os.path.dirname(causeway.__file__)
print(json.dumps({
    "version": causeway.__version__ if causeway.__version__ == about["Version"] else about["Version"],
    "name": about["Name"],
    "requires": about.get_all("Requires-Dist"),
    "python": about["Requires-Python"],
    "folder": folder,
    "typed": os.path.exists(os.path.join(folder, "py.typed")),
}))
`

const run = (program: string, args: string[], env: Record<string, string> = {}, cwd = folder) =>
  promisify(execFile)(program, args, { cwd, env: { PATH: process.env.PATH, ...env } })

type Operation = { requestBody?: { content: { 'application/json': { example?: unknown } } } }

/** Each in a function. */
function samplesOfTheReference(): string {
  const api = describedApi('https://connect.example.com')
  const { paths } = openApiDocument(api)
  const functions = api.routes.map((route) => {
    const operation = paths[route.path]?.[route.method] as Operation | undefined
    const example = operation?.requestBody?.content['application/json'].example
    const sample = codeSamples(route, example).find(({ language }) => language === 'python')?.code ?? ''
    const head = `def ${route.operationId}(causeway: Causeway, query: str, state: str) -> None:`
    return `${head}\n${sample.replaceAll(/^/gm, '    ')}\n`
  })
  return `from causeway import Causeway\n${functions.join('')}`
}

/** Fails with the output of unittest. */
async function runTests(module: string, env: Record<string, string> = {}): Promise<void> {
  const { stderr } = await run(python ?? '', ['-B', '-W', 'error', '-m', 'unittest', `tests.${module}`], env)
  expect(stderr).toMatch(/^Ran [1-9]\d* tests? in .*\n\nOK$/m)
}

describe.skipIf(!python)('the Python client', () => {
  test.concurrent.each(['test_requests', 'test_relay', 'test_webhooks', 'test_unreliable_server'])(
    '%s',
    async (module) => runTests(module),
  )

  test('has a method for each route', () => {
    const routes = describedApi('https://connect.example.com').routes.map(({ client, method, path }) => [
      client,
      method,
      path,
    ])
    return runTests('test_operations', { ROUTES: JSON.stringify(routes) })
  })

  test.skipIf(!mypy)('passes mypy --strict for Python 3.9, and so do the samples of the API reference', async () => {
    const samples = join(temporaryFolder(), 'samples.py')
    writeFileSync(samples, samplesOfTheReference())
    const args = ['--strict', '--no-incremental', '--python-version', '3.9', 'causeway', 'tests/usage.py', samples]
    expect((await run(mypy ?? '', args)).stdout).toMatch(/^Success: no issues found/)
  })
})

describe.skipIf(!python)('a program in Python', () => {
  let world: OnboardingWorld
  let key: string
  let webhook: string

  beforeAll(async () => {
    const receiver = await startReceiver()
    world = await startOnboarding({ egressAllow: [receiver.host] })
    const testMode = { name: 'python', tenant: undefined, testMode: true }
    key = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
    const api = world.apiAs(key)
    await api('PUT', '/tenants/test_hooks', { displayName: 'Acme', returnUrls: ['https://app.acme.example/'] })
    const { secret } = (await api('POST', '/tenants/test_hooks/webhooks', { url: receiver.url })).body
    await api('POST', '/tenants/test_hooks/events', { type: 'link.succeeded' })
    await (await deliverWebhooks(world.ports)()).done
    webhook = JSON.stringify({ ...receiver.messages[0], secret })
    await receiver.close()
  }, 120_000)
  afterAll(() => world?.close())

  test('is installed from the server by pip, with its types and metadata', async () => {
    const { data } = (await (await fetch(`${world.url}/packages/`)).json()) as { data: Array<Record<string, string>> }
    const { url = '', version } = data.find(({ name }) => name === 'causeway') ?? {}
    const target = join(temporaryFolder(), 'installed')
    const options = ['--no-deps', '--no-index', '--no-cache-dir', '--disable-pip-version-check', '--target', target]
    await run(python ?? '', ['-m', 'pip', 'install', ...options, url])

    const { stdout } = await run(python ?? '', ['-B', '-c', installed], { PYTHONPATH: target }, target)

    expect(JSON.parse(stdout)).toEqual({
      version,
      name: 'causeway',
      requires: ['httpx>=0.23.3', "typing-extensions>=4.4; python_version < '3.11'"],
      python: '>=3.9',
      folder: join(target, 'causeway'),
      typed: true,
    })
    expect(version).toBe(readVersion().replace('-dev', '.dev0'))
  })

  test(
    'links accounts, calls their apps and verifies webhooks',
    () => runTests('test_journeys', { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: key, WEBHOOK: webhook }),
    120_000,
  )
})

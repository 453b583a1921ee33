// Installs the packages from the running server, as the guides do. `npm run build` packs them.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readVersion } from '../../src/kit/installed/installed-root.ts'
import { npmInstall } from '../examples/npm-install.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let folder: string

beforeAll(async () => {
  world = await startOnboarding()
  folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await npmInstall(folder, ...['client', 'connect', 'cli'].map((name) => `${world.url}/packages/${name}.tgz`))
}, 300_000)
afterAll(() => world.close())

const run = (...args: string[]) => {
  const env = { ...process.env, CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: world.key }
  return promisify(execFile)(process.execPath, args, { cwd: folder, env })
}

test('the list shows the installed packages', async () => {
  const { data } = (await (await fetch(`${world.url}/packages/`)).json()) as { data: Array<Record<string, string>> }
  const installed = ['cli', 'client', 'connect'].map((name) => {
    const manifest = readFileSync(join(folder, 'node_modules/@causeway', name, 'package.json'), 'utf8')
    return { version: JSON.parse(manifest).version, name: JSON.parse(manifest).name }
  })

  const forNode = data.filter(({ name }) => name?.startsWith('@'))
  expect(forNode.map(({ name, version }) => ({ version, name }))).toEqual(installed)
  expect(forNode[0]?.version).toBe(readVersion())
})

test('the packages can be imported', async () => {
  const program = `
    import { createCauseway } from '@causeway/client'
    import { CausewayConnect } from '@causeway/connect'
    console.log(typeof createCauseway, typeof CausewayConnect)`
  writeFileSync(join(folder, 'run.js'), program)

  expect((await run('run.js')).stdout).toBe('function function\n')
})

test('the command runs without our other packages', async () => {
  const { stdout } = await run('node_modules/@causeway/cli/dist/main.js', 'tenants')

  expect(stdout).toContain('acme')
})

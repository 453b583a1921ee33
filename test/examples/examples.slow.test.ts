// Runs the examples that need no further packages. `npm run test:examples` runs the others.
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPython } from '../../scripts/set-up/steps.mjs'
import { temporaryFolder } from '../support/processes/stores.ts'
import {
  connectAccount,
  decline,
  type Example,
  type ExampleWorld,
  linkNothingForStrangers,
  rejectForgeries,
  startExample,
  startExampleWorld,
} from './example-journey.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const python = findPython()

async function expressExample() {
  const folder = temporaryFolder()
  cpSync(join(root, 'examples/express'), folder, { recursive: true })
  await install(folder)
  return { command: [process.execPath, 'server.js'], folder }
}

/** Bundles each of our packages into one file. `test/packages/packed.slow.test.ts` tests the published form. */
async function install(folder: string): Promise<void> {
  for (const [name, entry] of [
    ['client', 'client'],
    ['connect', 'elements'],
  ] as const) {
    const installed = join(folder, 'node_modules/@causeway', name)
    mkdirSync(installed, { recursive: true })
    cpSync(join(root, 'packages', name, 'package.json'), join(installed, 'package.json'))
    await build({
      absWorkingDir: root,
      entryPoints: [`packages/${name}/src/${entry}.ts`],
      bundle: true,
      platform: name === 'client' ? 'node' : 'browser',
      format: 'esm',
      outfile: join(installed, `dist/${entry}.js`),
      banner: { js: requireBanner[name] },
      logLevel: 'warning',
    })
  }
  for (const name of ['express', 'express-session']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
}

// A dependency of standardwebhooks is CommonJS.
const requireBanner = {
  client: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
  connect: '',
}

const pythonExample = async () => ({
  command: ['env', `PYTHONPATH=${join(root, 'packages/python')}`, python ?? 'python3', '-B', 'server.py'],
  folder: join(root, 'examples/python'),
})

describe.each([
  { name: 'the example in Express', isHere: true, prepare: expressExample },
  { name: 'the example in Python', isHere: python !== undefined, prepare: pythonExample },
])('$name', ({ isHere, prepare }) => {
  let world: ExampleWorld
  let example: Example

  beforeAll(async () => {
    if (!isHere) return
    world = await startExampleWorld()
    example = await startExample(world, await prepare())
  }, 120_000)
  afterAll(async () => {
    await example?.stop()
    await world?.close()
  })

  test.skipIf(!isHere)('links an account, lists it, and verifies its webhook', () => connectAccount(world, example))
  test.skipIf(!isHere)('shows the cause after the user declines', () => decline(world, example))
  test.skipIf(!isHere)('links nothing in a browser that did not start the link', () =>
    linkNothingForStrangers(world, example),
  )
  test.skipIf(!isHere)('rejects unsigned webhooks', () => rejectForgeries(example))
})

test('the list of examples links to the README of each example', () => {
  const folders = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const list = readFileSync(join(root, 'examples/README.md'), 'utf8')

  expect(folders.map(({ name }) => name).sort()).toEqual(['express', 'nextjs', 'python'])
  for (const { name } of folders) expect(list).toContain(`(${name}/README.md)`)
})

test.each(['express', 'nextjs'])('the %s example installs our packages from the checkout', (name) => {
  const folder = join(root, 'examples', name)
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const ours = Object.entries(dependencies as Record<string, string>).filter(([each]) => each.startsWith('@causeway/'))

  expect(ours).toHaveLength(2)
  for (const [each, at] of ours) {
    const { name: found } = JSON.parse(readFileSync(join(folder, at.replace('file:', ''), 'package.json'), 'utf8'))
    expect(found).toBe(each)
  }
  // Next.js does not follow symbolic links out of its folder.
  expect(readFileSync(join(folder, '.npmrc'), 'utf8')).toContain('install-links=true')
})

// `npm run causeway` and the like, in a checkout and in an installation.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/processes/stores.ts'

const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url))

const packages = {
  'node_modules/runs': { integrity: 'sha512-a' },
  'node_modules/builds': { integrity: 'sha512-b', dev: true },
}

test('an installation without the tools to build runs its command and installs nothing', () => {
  const folder = folderWith({ present: ['node_modules/runs'], isBuilt: true })

  const { status, stdout, stderr } = run(folder)

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'called with doctor\n', stderr: '' })
})

test.each([
  ['lacks a package that it runs with', { present: ['node_modules/builds'], isBuilt: true }],
  ['was never installed', { present: [], isBuilt: true }],
  ['was never built', { present: ['node_modules/runs'], isBuilt: false }],
])('a folder that %s is set up first', (_, state) => {
  const { status, stdout, stderr } = run(folderWith(state))

  expect(stderr).toMatch(/^Installing dependencies from package-lock.json/)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
})

function folderWith({ present, isBuilt }: { present: string[]; isBuilt: boolean }): string {
  const folder = join(temporaryFolder(), 'causeway')
  for (const part of ['program.mjs', 'set-up'])
    cpSync(join(scripts, part), join(folder, 'scripts', part), { recursive: true })
  for (const part of ['node_modules', 'dist/onboarding', 'src']) mkdirSync(join(folder, part), { recursive: true })
  const write = (file: string, content: object | string) =>
    writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content))
  write('package.json', { type: 'module' })
  write('package-lock.json', { packages })
  const installed = Object.entries(packages).filter(([name]) => present.includes(name))
  if (installed.length > 0) write('node_modules/.package-lock.json', { packages: Object.fromEntries(installed) })
  if (isBuilt) write('dist/onboarding/cli.js', "console.log('called with', ...process.argv.slice(2))")
  return folder
}

/** Where npm cannot be found, so that a set-up ends at its first step. */
function run(folder: string) {
  const script = join(folder, 'scripts/program.mjs')
  const env = { PATH: join(folder, 'nothing'), npm_execpath: join(folder, 'nothing/npm.js') }
  return spawnSync(process.execPath, [script, 'onboarding/cli', 'doctor'], { env, encoding: 'utf8' })
}

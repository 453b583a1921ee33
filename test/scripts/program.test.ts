// `npm run causeway` and similar scripts, in a checkout and in an installation.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/processes/stores.ts'

const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url))

const packages = {
  '': { dependencies: { runs: '1' }, devDependencies: { builds: '1' } },
  'node_modules/runs': { integrity: 'sha512-a' },
  'node_modules/builds': { integrity: 'sha512-b', dev: true },
}

test('an installation without build tools runs commands and installs nothing', () => {
  const folder = folderWith({ present: ['node_modules/runs'], isBuilt: true })

  const { status, stdout, stderr } = run(folder)

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'called with doctor\n', stderr: '' })
})

test.each([
  ['lacks a runtime package', { present: ['node_modules/builds'], isBuilt: true }],
  ['was never installed', { present: [], isBuilt: true }],
  ['was never built', { present: ['node_modules/runs'], isBuilt: false }],
])('sets up a folder that %s first', (_, state) => {
  const { status, stdout, stderr } = run(folderWith(state))

  expect(stderr).toMatch(/^Installing dependencies from package-lock.json/)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
})

describe('a command beside npm start', () => {
  const folder = folderWith({ present: ['node_modules/runs'], isBuilt: true })
  const printing = 'console.log(process.env.PUBLIC_URL, process.env.DATABASE_URL)'
  const settings = (path: string, lines: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), lines)
  }
  writeFileSync(join(folder, 'dist/onboarding/cli.js'), printing)
  settings('.data/onboarding.env', 'PUBLIC_URL="http://demo # 1"\n')

  test('uses only the settings of the running program', () => {
    settings('.env', 'DATABASE_URL=postgres://another\n')

    const { stdout, stderr } = run(folder, { DEMO_DATA_DIR: '.data' })

    rmSync(join(folder, '.env'))
    expect({ stdout, stderr }).toEqual({ stdout: 'http://demo # 1 undefined\n', stderr: '' })
  })

  test('without DEMO_DATA_DIR prints a hint and continues', () => {
    const { stdout, stderr } = run(folder)

    expect(stderr).toBe('For the deployment that npm start runs, put DEMO_DATA_DIR=.data before the command.\n')
    expect(stdout).toBe('undefined undefined\n')
  })

  test('is rejected if no demo has run', () => {
    const { status, stderr } = run(folder, { DEMO_DATA_DIR: 'elsewhere' })

    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `DEMO_DATA_DIR: there is no ${join(folder, 'elsewhere/onboarding.env')}. npm start writes it.\n`,
    })
  })
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

/** A PATH without npm, so that a set-up fails at its first step. */
function run(folder: string, given: Record<string, string> = {}) {
  const script = join(folder, 'scripts/program.mjs')
  const env = { PATH: join(folder, 'nothing'), npm_execpath: join(folder, 'nothing/npm.js'), ...given }
  return spawnSync(process.execPath, [script, 'onboarding/cli', 'doctor'], { env, encoding: 'utf8' })
}

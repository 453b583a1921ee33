import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { bundleOptions } from '../../scripts/set-up/bundle-programs.mjs'
import { readJsonFolder } from '../../src/kit/installed/json-folder.ts'
import { describeError } from '../../src/kit/process/log.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const lineOf = (file: string, said: string) =>
  readFileSync(`${root}src/${file}`, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(said)) + 1

const thrower = 'kit/installed/json-folder.ts'
const place = `at readJsonFolder (${thrower}:${lineOf(thrower, 'throw new StartError')}:11)`

const caught = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

test('describes an unexpected error by its location in the sources', () => {
  expect(describeError(caught(() => readJsonFolder('nowhere')))).toBe(`Error ${place}`)
})

test('ignores locations in the message', () => {
  const error = caught(() => readJsonFolder(`nowhere\n    at secret (${root}dist/secret.js:1:1)`))

  expect(describeError(error)).toBe(`Error ${place}`)
})

const thrownWith = (members: object) => Object.assign(new Error('said'), members)

test.each([
  ['no message', { message: undefined }, 'Error'],
  ['no stack', { stack: null }, 'Error'],
  ['a stack that is not a string', { stack: 1 }, 'Error'],
  ['a message that is not a string', { message: Symbol('odd') }, 'Error'],
  ['a file at another host', { stack: 'Error: said\n    at file://host/a.js:1:1' }, 'Error'],
  ['a file with an invalid name', { stack: 'Error: said\n    at file:///a%2Fb.js:1:1' }, 'Error'],
])('describes an error with %s', (_what, members, described) => {
  expect(describeError(thrownWith(members))).toBe(described)
})

test.each([
  ['without a name in an await', `    at async file://${root}dist/app.js:10:3`, 'at app.js:10:3'],
  ['with a message that changed since', `    at send (${root}dist/app.js:10:3)`, 'at send (app.js:10:3)'],
])('finds a frame %s', (_what, line, place) => {
  const error = thrownWith({ stack: `Error: before\n${line}`, message: 'what it says now, at length' })

  expect(describeError(error)).toBe(`Error ${place}`)
})

test('a bundled program reports the same, also for errors thrown by a package', async () => {
  mkdirSync(`${root}dist-tests`, { recursive: true })
  const folder = mkdtempSync(`${root}dist-tests/thrown-at-`)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const contents = `
    import { describeError } from './src/kit/process/log.ts'
    import { readJsonFolder } from './src/kit/installed/json-folder.ts'
    import { parseEnvironment } from './src/kit/process/environment.ts'
    import { z } from 'zod'
    const describe = (act) => { try { act() } catch (error) { console.log(describeError(error)) } }
    describe(() => readJsonFolder('nowhere'))
    describe(() => parseEnvironment({ safeParse: () => z.string().parse(1) }, {}))`
  const stdin = { contents, resolveDir: root, sourcefile: 'entry.ts', loader: 'ts' } as const
  const { entryPoints: _entries, ...options } = bundleOptions(folder)
  await build({ ...options, stdin })

  const lines = execFileSync(process.execPath, [`${folder}/stdin.js`], { encoding: 'utf8' })
    .trim()
    .split('\n')

  expect(lines[0]).toBe(`Error ${place}`)
  expect(lines[1]).toMatch(/^ZodError at .*parseEnvironment.* \(kit\/process\/environment\.ts:\d+:\d+\)$/)
})
